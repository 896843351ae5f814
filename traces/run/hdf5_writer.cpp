#include "traces/run/hdf5_writer.hpp"

#include <algorithm>
#include <bit>

#include "traces/run/hdf5_handle.hpp"
#include "traces/run/replaced_file.hpp"

namespace waferline::traces {
namespace {

/// Numbers in a chunk: small ones cost an index entry each, large ones must be inflated whole for a single number.
constexpr std::int64_t kChunkNumbers = 16384;
/// No chunk is larger, whatever the mesh: a reader's limit (traces/run/hdf5_reader.cpp) lies above it.
constexpr std::int64_t kMostChunkNumbers = std::int64_t{1} << 20;
constexpr std::size_t kChunkTextBytes = std::size_t{1} << 20;
/// Half the entries of a node of each dataset's index, which is written whole: with the library's 32 most of a small
/// file are empty nodes.
constexpr unsigned kIndexRank = 4;
/// A text is cut here: the library keeps each attribute in 64 KiB.
constexpr std::size_t kMostTextBytes = 60000;
/// zlib's own default is 6; 4 takes about half its time and leaves a few percent more.
constexpr unsigned kDeflateLevel = 4;
/// By which the file's image grows.
constexpr std::size_t kMemoryStep = std::size_t{1} << 20;

struct GrowingDataset {
  explicit GrowingDataset(Hdf5Place where) : place(std::move(where)) {}

  Hdf5Place place;
  Hdf5Handle dataset;
  hid_t memory_type = -1;
  std::vector<hsize_t> shape;  ///< of what was written
  std::size_t row_numbers = 1;
  std::size_t buffered_rows = 1;  ///< rows that are written at once
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  Hdf5Handle text;             ///< type of a text, where texts are kept
  std::size_t text_bytes = 0;  ///< of each
  std::string texts;

  std::size_t buffered_numbers() const {
    return integers.size() + reals.size() + (text_bytes == 0 ? 0 : texts.size() / text_bytes);
  }
  const void* values() const {
    if (!texts.empty()) return texts.data();
    return reals.empty() ? static_cast<const void*>(integers.data()) : reals.data();
  }
  void clear() {
    integers.clear();
    reals.clear();
    texts.clear();
  }
  bool is_full() const { return buffered_numbers() >= buffered_rows * row_numbers; }
};

void write_rows(const GrowingDataset& to, const std::vector<hsize_t>& start, const std::vector<hsize_t>& count) {
  const Hdf5Handle in_file(to.place.need(H5Dget_space(to.dataset.id()), "has no shape"), H5Sclose);
  to.place.need(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                "cannot select rows");
  const Hdf5Handle in_memory(
      to.place.need(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), "cannot be shaped"),
      H5Sclose);
  to.place.need(H5Dwrite(to.dataset.id(), to.memory_type, in_memory.id(), in_file.id(), H5P_DEFAULT, to.values()),
                "cannot be written");
}

void flush(GrowingDataset& to) {
  const std::size_t numbers = to.buffered_numbers();
  if (numbers == 0) return;
  std::vector<hsize_t> start(to.shape.size(), 0);
  std::vector<hsize_t> count = to.shape;
  start[0] = to.shape[0];
  count[0] = numbers / to.row_numbers;
  to.shape[0] += count[0];
  to.place.need(H5Dset_extent(to.dataset.id(), to.shape.data()), "cannot grow");
  const auto is_zero = [](auto value) { return std::bit_cast<std::uint64_t>(value) == 0; };
  const bool zeros = std::all_of(to.integers.begin(), to.integers.end(), is_zero) &&
                     std::all_of(to.reals.begin(), to.reals.end(), is_zero) &&
                     to.texts.find_first_not_of('\0') == std::string::npos;
  if (!zeros) write_rows(to, start, count);  // where a chunk is missing all are zeros
  to.clear();
}

Hdf5Handle untimed(hid_t kind, const Hdf5Place& place) {
  Hdf5Handle properties(place.need(H5Pcreate(kind), "cannot be made"), H5Pclose);
  place.need(H5Pset_obj_track_times(properties.id(), false), "cannot be made");
  return properties;
}

void compress(hid_t creation, const std::vector<hsize_t>& chunk, const Hdf5Place& place) {
  place.need(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), "cannot be chunked");
  place.need(H5Pset_shuffle(creation), "cannot be shuffled");
  place.need(H5Pset_deflate(creation, kDeflateLevel), "cannot be compressed");
}

Hdf5Handle text_type(std::size_t length, const Hdf5Place& place) {
  Hdf5Handle type(place.need(H5Tcopy(H5T_C_S1), "has no type"), H5Tclose);
  place.need(H5Tset_size(type.id(), std::max<std::size_t>(1, length)), "has no type");
  place.need(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "has no type");
  place.need(H5Tset_cset(type.id(), H5T_CSET_UTF8), "has no type");
  return type;
}

/// Chunks of whole rows where a row is small, else of as many of its own rows as fit.
std::vector<hsize_t> chunk_of(const std::vector<std::int64_t>& tail, std::int64_t row_numbers) {
  std::vector<hsize_t> chunk{static_cast<hsize_t>(std::max<std::int64_t>(1, kChunkNumbers / row_numbers))};
  for (const std::int64_t size : tail) chunk.push_back(static_cast<hsize_t>(size));
  if (row_numbers > kMostChunkNumbers) {
    const std::int64_t inner = row_numbers / tail.front();
    chunk[1] = static_cast<hsize_t>(std::max<std::int64_t>(1, kMostChunkNumbers / inner));
  }
  return chunk;
}

}  // namespace

struct Hdf5Writer::Insides {
  explicit Insides(const std::filesystem::path& target) : file(target) {}

  ReplacedFile file;
  Hdf5Handle handle;
  std::vector<GrowingDataset> datasets;

  Hdf5Place place(const std::string& object) const { return {file.shown().string(), object}; }

  void attribute(const std::string& object, const std::string& name, hid_t stored, hid_t memory, const void* value) {
    const QuietHdf5 quiet;
    const Hdf5Place at = place(object + "@" + name);
    const Hdf5Handle scalar(at.need(H5Screate(H5S_SCALAR), "cannot be shaped"), H5Sclose);
    const Hdf5Handle made(at.need(H5Acreate_by_name(handle.id(), object.c_str(), name.c_str(), stored, scalar.id(),
                                                    H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                  "cannot be made"),
                          H5Aclose);
    at.need(H5Awrite(made.id(), memory, value), "cannot be written");
  }

  /// Makes a dataset of rows of shape `tail` that has none yet. Returns its number.
  std::size_t grow(GrowingDataset made, const std::string& path, hid_t stored, const std::vector<std::int64_t>& tail,
                   const std::vector<hsize_t>& chunk) {
    made.shape = {0};
    std::vector<hsize_t> most{H5S_UNLIMITED};
    for (const std::int64_t size : tail) {
      made.shape.push_back(static_cast<hsize_t>(size));
      most.push_back(static_cast<hsize_t>(size));
    }
    made.buffered_rows = static_cast<std::size_t>(chunk[0]);
    const Hdf5Place& at = made.place;
    const Hdf5Handle space(
        at.need(H5Screate_simple(static_cast<int>(chunk.size()), made.shape.data(), most.data()), "cannot be shaped"),
        H5Sclose);
    const Hdf5Handle creation = untimed(H5P_DATASET_CREATE, at);
    compress(creation.id(), chunk, at);
    made.dataset = Hdf5Handle(
        at.need(H5Dcreate2(handle.id(), path.c_str(), stored, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                "cannot be made"),
        H5Dclose);
    datasets.push_back(std::move(made));
    return datasets.size() - 1;
  }
};

Hdf5Writer::Hdf5Writer(const std::filesystem::path& target) : insides_(std::make_unique<Insides>(target)) {
  const QuietHdf5 quiet;
  const Hdf5Place at = insides_->place("");
  const Hdf5Handle creation = untimed(H5P_FILE_CREATE, at);
  at.need(H5Pset_istore_k(creation.id(), kIndexRank), "cannot be created");
  const Hdf5Handle access(at.need(H5Pcreate(H5P_FILE_ACCESS), "cannot be created"), H5Pclose);
  at.need(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), "cannot be created");
  at.need(H5Pset_fapl_core(access.id(), kMemoryStep, false), "cannot be created");
  insides_->handle =
      Hdf5Handle(at.need(H5Fcreate(insides_->file.shown().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()),
                         "cannot be created"),
                 H5Fclose);
}

Hdf5Writer::~Hdf5Writer() = default;

void Hdf5Writer::group(const std::string& path) {
  const QuietHdf5 quiet;
  const Hdf5Place at = insides_->place(path);
  const Hdf5Handle creation = untimed(H5P_GROUP_CREATE, at);
  const Hdf5Handle made(
      at.need(H5Gcreate2(insides_->handle.id(), path.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
              "cannot be made"),
      H5Gclose);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, std::string_view text) {
  const QuietHdf5 quiet;
  std::string kept(text.substr(0, kMostTextBytes));
  if (kept.empty()) kept.assign(1, '\0');
  const Hdf5Handle type = text_type(kept.size(), insides_->place(object + "@" + name));
  insides_->attribute(object, name, type.id(), type.id(), kept.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, std::int64_t value) {
  insides_->attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, double value) {
  insides_->attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Writer::texts(const std::string& path, const std::vector<std::string>& values) {
  const QuietHdf5 quiet;
  const Hdf5Place at = insides_->place(path);
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, std::min(value.size(), kMostTextBytes));
  std::string packed(longest * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(&packed[i * longest], longest);
  const Hdf5Handle type = text_type(longest, at);
  const hsize_t count = values.size();
  const Hdf5Handle space(at.need(H5Screate_simple(1, &count, nullptr), "cannot be shaped"), H5Sclose);
  const Hdf5Handle creation = untimed(H5P_DATASET_CREATE, at);
  const hsize_t chunk = std::min(std::max<hsize_t>(1, count), std::max<hsize_t>(1, kChunkTextBytes / longest));
  compress(creation.id(), {chunk}, at);
  const Hdf5Handle made(at.need(H5Dcreate2(insides_->handle.id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                           creation.id(), H5P_DEFAULT),
                                "cannot be made"),
                        H5Dclose);
  if (count > 0)
    at.need(H5Dwrite(made.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "cannot be written");
}

std::size_t Hdf5Writer::growing(const std::string& path, Kind kind, const std::vector<std::int64_t>& tail) {
  const QuietHdf5 quiet;
  GrowingDataset made(insides_->place(path));
  std::int64_t row_numbers = 1;
  for (const std::int64_t size : tail) row_numbers *= size;
  made.row_numbers = static_cast<std::size_t>(row_numbers);
  made.memory_type = kind == Kind::integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  const hid_t stored = kind == Kind::integer ? H5T_STD_I64LE : H5T_IEEE_F64LE;
  return insides_->grow(std::move(made), path, stored, tail, chunk_of(tail, row_numbers));
}

std::size_t Hdf5Writer::growing_texts(const std::string& path, std::size_t longest) {
  const QuietHdf5 quiet;
  GrowingDataset made(insides_->place(path));
  made.text_bytes = std::clamp<std::size_t>(longest, 1, kMostTextBytes);
  made.text = text_type(made.text_bytes, made.place);
  made.memory_type = made.text.id();
  const hsize_t chunk = std::clamp<hsize_t>(kChunkTextBytes / made.text_bytes, 1, kChunkNumbers);
  return insides_->grow(std::move(made), path, made.text.id(), {}, {chunk});
}

void Hdf5Writer::append(std::size_t dataset, std::span<const std::int64_t> row) {
  GrowingDataset& to = insides_->datasets[dataset];
  to.integers.insert(to.integers.end(), row.begin(), row.end());
  if (!to.is_full()) return;
  const QuietHdf5 quiet;
  flush(to);
}

void Hdf5Writer::append(std::size_t dataset, std::span<const double> row) {
  GrowingDataset& to = insides_->datasets[dataset];
  to.reals.insert(to.reals.end(), row.begin(), row.end());
  if (!to.is_full()) return;
  const QuietHdf5 quiet;
  flush(to);
}

void Hdf5Writer::append_text(std::size_t dataset, std::string_view text) {
  GrowingDataset& to = insides_->datasets[dataset];
  if (text.size() > to.text_bytes) to.place.refuse("is given a text longer than it was made for");
  to.texts.append(text).append(to.text_bytes - text.size(), '\0');
  if (!to.is_full()) return;
  const QuietHdf5 quiet;
  flush(to);
}

void Hdf5Writer::finish() {
  const QuietHdf5 quiet;
  for (GrowingDataset& dataset : insides_->datasets) flush(dataset);
  const Hdf5Place at = insides_->place("");
  const hid_t file = insides_->handle.id();
  at.need(H5Fflush(file, H5F_SCOPE_GLOBAL), "cannot be completed");
  const ssize_t size = at.need(H5Fget_file_image(file, nullptr, 0), "cannot be completed");
  std::string content(static_cast<std::size_t>(size), '\0');
  at.need(H5Fget_file_image(file, content.data(), content.size()), "cannot be completed");
  insides_->file.write(content);
}

}  // namespace waferline::traces
