#include "traces/run/hdf5_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/error.hpp"
#include "arch/text_file.hpp"
#include "traces/run/hdf5_handle.hpp"

namespace waferline::traces {
namespace fs = std::filesystem;
namespace {

constexpr hsize_t kMostChunkBytes = hsize_t{64} << 20;
constexpr std::size_t kLongestText = 65536;
constexpr std::int64_t kMostTextBytes = std::int64_t{64} << 20;

template <class Number>
constexpr H5T_class_t class_of() {
  return std::is_same_v<Number, double> ? H5T_FLOAT : H5T_INTEGER;
}
template <class Number>
hid_t memory_type() {
  return std::is_same_v<Number, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

const char* class_name(H5T_class_t type) {
  return type == H5T_FLOAT ? "a real number" : type == H5T_INTEGER ? "a whole number" : "a text of fixed length";
}

void check_type(hid_t type, H5T_class_t expected, const Hdf5Place& at) {
  const std::size_t longest = expected == H5T_STRING ? kLongestText : sizeof(std::int64_t);
  const std::size_t size = H5Tget_size(type);
  const bool fits = H5Tget_class(type) == expected && size > 0 && size <= longest &&
                    (expected != H5T_STRING || H5Tis_variable_str(type) == 0);
  if (!fits) at.refuse(fmt::format("is not {}", class_name(expected)));
}

/// A text as the file holds it, up to its first NUL, in UTF-8 without control characters.
std::string cleaned(const char* text, std::size_t length) {
  const std::string_view whole(text, length);
  return as_utf8(printable(whole.substr(0, whole.find('\0')), kLongestText));
}

/// Nothing but chunks of the file itself: no data in other files, no filters that a plug-in would have to undo, no
/// chunks too large to inflate. Data in one piece is refused too, for version 1.10.8 of the library reads beyond the
/// end of a damaged one.
void check_storage(hid_t dataset, std::size_t number_bytes, const Hdf5Place& at) {
  const Hdf5Handle properties(at.need(H5Dget_create_plist(dataset), "cannot be read"), H5Pclose);
  if (at.need(H5Pget_layout(properties.id()), "cannot be read") != H5D_CHUNKED) at.refuse("is not chunked");
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = at.need(H5Pget_chunk(properties.id(), H5S_MAX_RANK, chunk.data()), "cannot be read");
  hsize_t bytes = number_bytes;
  for (int i = 0; i < rank; ++i) {
    if (chunk[i] == 0 || chunk[i] > kMostChunkBytes / bytes)
      at.refuse(fmt::format("has chunks of more than {} bytes", kMostChunkBytes));
    bytes *= chunk[i];
  }
  const int filters = at.need(H5Pget_nfilters(properties.id()), "cannot be read");
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = at.need(
        H5Pget_filter2(properties.id(), static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr),
        "cannot be read");
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      at.refuse(fmt::format("is packed by filter {} (permitted: deflate, shuffle, fletcher32)", filter));
  }
}

}  // namespace

struct Hdf5Reader::Insides {
  Hdf5Handle file;
};

namespace {

/// Whether every step of the path is there and within this file.
bool is_inside(hid_t file, const std::string& object) {
  if (object == "/") return true;
  for (std::size_t end = 1; end <= object.size(); ++end) {
    if (end != object.size() && object[end] != '/') continue;
    const std::string prefix = object.substr(0, end);
    H5L_info_t info{};
    if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Lget_info(file, prefix.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return false;
  }
  return H5Oexists_by_name(file, object.c_str(), H5P_DEFAULT) > 0;
}

struct OpenDataset {
  Hdf5Place at;
  Hdf5Handle dataset;
  std::vector<hsize_t> shape;
};

OpenDataset open_dataset(const std::string& path, hid_t file, const std::string& name, H5T_class_t type_class,
                         std::size_t rank) {
  OpenDataset open{{path, name}, {}, {}};
  if (!is_inside(file, name)) open.at.refuse("is missing");
  H5O_info_t info{};
  open.at.need(H5Oget_info_by_name(file, name.c_str(), &info, H5P_DEFAULT), "cannot be read");
  if (info.type != H5O_TYPE_DATASET) open.at.refuse("is not a dataset");
  open.dataset = Hdf5Handle(open.at.need(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "cannot be read"), H5Dclose);
  const Hdf5Handle type(open.at.need(H5Dget_type(open.dataset.id()), "has no type"), H5Tclose);
  check_type(type.id(), type_class, open.at);
  check_storage(open.dataset.id(), H5Tget_size(type.id()), open.at);
  const Hdf5Handle space(open.at.need(H5Dget_space(open.dataset.id()), "has no shape"), H5Sclose);
  const int found = H5Sget_simple_extent_ndims(space.id());
  if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE || found != static_cast<int>(rank))
    open.at.refuse(fmt::format("has not {} dimension{}", rank, rank == 1 ? "" : "s"));
  open.shape.resize(rank);
  open.at.need(H5Sget_simple_extent_dims(space.id(), open.shape.data(), nullptr), "has no shape");
  return open;
}

void check_count(const OpenDataset& open, std::int64_t most) {
  if (open.shape[0] > static_cast<hsize_t>(most))
    open.at.refuse(fmt::format("{} entries (permitted: at most {})", open.shape[0], most));
}

}  // namespace

Hdf5Reader::Hdf5Reader(const fs::path& path) : path_(path.string()), insides_(std::make_unique<Insides>()) {
  const QuietHdf5 quiet;
  const Hdf5Place at(path_, "");
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) at.refuse("no such file");
  if (fs::is_directory(status)) at.refuse("is a directory, not a file");
  if (!fs::is_regular_file(status)) at.refuse("is not a regular file");
  const htri_t known = H5Fis_hdf5(path.c_str());
  if (known < 0) at.fail("cannot be read");
  if (known == 0) at.refuse("is not an HDF5 file (a trace is what --hdf5 wrote)");
  insides_->file = Hdf5Handle(at.need(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "cannot be read"), H5Fclose);
}

Hdf5Reader::~Hdf5Reader() = default;

bool Hdf5Reader::has(const std::string& object) const {
  const QuietHdf5 quiet;
  return is_inside(insides_->file.id(), object);
}

bool Hdf5Reader::has_attribute(const std::string& object, const std::string& name) const {
  const QuietHdf5 quiet;
  return is_inside(insides_->file.id(), object) &&
         H5Aexists_by_name(insides_->file.id(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5Reader::read_attribute(const std::string& object, const std::string& name, int type_class,
                                std::int64_t memory_type, void* value) const {
  const QuietHdf5 quiet;
  const Hdf5Place at(path_, object + "@" + name);
  if (!has_attribute(object, name)) at.refuse("is missing");
  const Hdf5Handle attribute(
      at.need(H5Aopen_by_name(insides_->file.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
              "cannot be read"),
      H5Aclose);
  const Hdf5Handle type(at.need(H5Aget_type(attribute.id()), "has no type"), H5Tclose);
  check_type(type.id(), static_cast<H5T_class_t>(type_class), at);
  const Hdf5Handle space(at.need(H5Aget_space(attribute.id()), "has no shape"), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) at.refuse("is not one value");
  if (type_class != H5T_STRING) {
    at.need(H5Aread(attribute.id(), memory_type, value), "cannot be read");
    return;
  }
  std::string text(H5Tget_size(type.id()) + 1, '\0');
  at.need(H5Aread(attribute.id(), type.id(), text.data()), "cannot be read");
  *static_cast<std::string*>(value) = cleaned(text.data(), text.size());
}

std::string Hdf5Reader::text_attribute(const std::string& object, const std::string& name) const {
  std::string text;
  read_attribute(object, name, H5T_STRING, -1, &text);
  return text;
}

std::int64_t Hdf5Reader::integer_attribute(const std::string& object, const std::string& name) const {
  std::int64_t value = 0;
  read_attribute(object, name, H5T_INTEGER, memory_type<std::int64_t>(), &value);
  return value;
}

double Hdf5Reader::real_attribute(const std::string& object, const std::string& name) const {
  double value = 0;
  read_attribute(object, name, H5T_FLOAT, memory_type<double>(), &value);
  return value;
}

std::vector<std::int64_t> Hdf5Reader::shape(const std::string& dataset) const {
  const QuietHdf5 quiet;
  const Hdf5Place at(path_, dataset);
  if (!is_inside(insides_->file.id(), dataset)) at.refuse("is missing");
  const Hdf5Handle opened(at.need(H5Dopen2(insides_->file.id(), dataset.c_str(), H5P_DEFAULT), "cannot be read"),
                          H5Dclose);
  const Hdf5Handle space(at.need(H5Dget_space(opened.id()), "has no shape"), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  const int rank = at.need(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr), "has no shape");
  std::vector<std::int64_t> shape;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] > static_cast<hsize_t>(INT64_MAX)) at.refuse("has an impossible shape");
    shape.push_back(static_cast<std::int64_t>(sizes[i]));
  }
  return shape;
}

template <class Number>
std::vector<Number> Hdf5Reader::all(const std::string& dataset, std::int64_t most) const {
  const QuietHdf5 quiet;
  const OpenDataset open = open_dataset(path_, insides_->file.id(), dataset, class_of<Number>(), 1);
  check_count(open, most);
  std::vector<Number> values(static_cast<std::size_t>(open.shape[0]));
  if (values.empty()) return values;
  open.at.need(H5Dread(open.dataset.id(), memory_type<Number>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
               "cannot be read");
  return values;
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& dataset, std::int64_t most) const {
  return all<std::int64_t>(dataset, most);
}

std::vector<double> Hdf5Reader::reals(const std::string& dataset, std::int64_t most) const {
  return all<double>(dataset, most);
}

std::vector<std::string> Hdf5Reader::texts(const std::string& dataset, std::int64_t most) const {
  const QuietHdf5 quiet;
  const OpenDataset open = open_dataset(path_, insides_->file.id(), dataset, H5T_STRING, 1);
  check_count(open, most);
  const Hdf5Handle type(open.at.need(H5Dget_type(open.dataset.id()), "has no type"), H5Tclose);
  const std::size_t length = H5Tget_size(type.id());
  if (open.shape[0] * length > static_cast<hsize_t>(kMostTextBytes))
    open.at.refuse(fmt::format("holds more than {} bytes of text", kMostTextBytes));
  std::string packed(open.shape[0] * length, '\0');
  if (packed.empty()) return {};
  open.at.need(H5Dread(open.dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "cannot be read");
  std::vector<std::string> values;
  for (hsize_t i = 0; i < open.shape[0]; ++i) values.push_back(cleaned(packed.data() + i * length, length));
  return values;
}

template <class Number>
void Hdf5Reader::row_of(const std::string& dataset, std::int64_t index, std::vector<Number>& row) const {
  const QuietHdf5 quiet;
  const OpenDataset open = open_dataset(path_, insides_->file.id(), dataset, class_of<Number>(), 3);
  if (index < 0 || static_cast<hsize_t>(index) >= open.shape[0])
    open.at.refuse(fmt::format("row {} of {} is missing", index, open.shape[0]));
  if (open.shape[1] > row.size() || open.shape[2] > row.size() || open.shape[1] * open.shape[2] != row.size())
    open.at.refuse(fmt::format("rows of {} x {} (expected: {} numbers)", open.shape[1], open.shape[2], row.size()));
  const std::array<hsize_t, 3> start{static_cast<hsize_t>(index), 0, 0};
  const std::array<hsize_t, 3> count{1, open.shape[1], open.shape[2]};
  const Hdf5Handle in_file(open.at.need(H5Dget_space(open.dataset.id()), "has no shape"), H5Sclose);
  open.at.need(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
               "cannot be read");
  const Hdf5Handle in_memory(open.at.need(H5Screate_simple(3, count.data(), nullptr), "cannot be read"), H5Sclose);
  open.at.need(H5Dread(open.dataset.id(), memory_type<Number>(), in_memory.id(), in_file.id(), H5P_DEFAULT, row.data()),
               "cannot be read");
}

void Hdf5Reader::read_row(const std::string& dataset, std::int64_t index, std::vector<std::int64_t>& row) const {
  row_of(dataset, index, row);
}

void Hdf5Reader::read_row(const std::string& dataset, std::int64_t index, std::vector<double>& row) const {
  row_of(dataset, index, row);
}

}  // namespace waferline::traces
