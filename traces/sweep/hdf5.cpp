#include "traces/sweep/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "arch/error.hpp"
#include "traces/run/hdf5_reader.hpp"
#include "traces/run/survives.hpp"

namespace waferline::traces {
namespace {

using estimate::CellKind;
using estimate::Sweep;
using estimate::SweepColumn;

constexpr std::int64_t kSchema = 1;
constexpr std::int64_t kMostLines = 100'000;
constexpr const char* kLines = "/description";
constexpr IntegerRange kAnyInteger{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
constexpr RealRange kAnyReal{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};

std::string dataset_of(const std::string& column) {
  return "/rows/" + column;
}

void check_lengths(const SweepHdf5Content& content, const std::filesystem::path& path) {
  if (content.tokens_per_s.size() == content.fits.size() &&
      content.pipelined_tokens_per_s.size() == content.fits.size())
    return;
  throw ConfigError(fmt::format("{}: /rows: columns of different lengths", path.string()));
}

}  // namespace

void LongestCells::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = std::max(bytes_[i], cells[i].size());
}

SweepHdf5::SweepHdf5(const std::filesystem::path& target, const Sweep& sweep, const std::string& command,
                     const LongestCells& longest)
    : sweep_(sweep), file_(target) {
  file_.attribute("/", "schema", kSchema);
  file_.attribute("/", "what", "Waferline sweep");
  file_.attribute("/", "command", command);
  file_.attribute("/", "points", sweep.points());
  file_.texts(kLines, sweep.description());
  file_.group("/rows");
  for (std::size_t i = 0; i < sweep.columns().size(); ++i) {
    const SweepColumn& column = sweep.columns()[i];
    const std::string path = dataset_of(column.name);
    using Kind = Hdf5Writer::Kind;
    datasets_.push_back(column.kind == CellKind::text
                            ? file_.growing_texts(path, longest.of(i))
                            : file_.growing(path, column.kind == CellKind::real ? Kind::real : Kind::integer, {}));
    file_.attribute(path, "unit", column.unit);
    file_.attribute(path, "meaning", column.meaning);
  }
}

void SweepHdf5::add(const CsvRow& row) {
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    const SweepColumn& column = sweep_.columns()[i];
    if (column.kind == CellKind::text) {
      file_.append_text(datasets_[i], row.text(column.name));
    } else if (column.kind == CellKind::integer) {
      const std::int64_t value = row.optional_integer(column.name, kAnyInteger).value_or(-1);
      file_.append(datasets_[i], std::span(&value, 1));
    } else {
      const double value = row.optional_real(column.name, kAnyReal).value_or(std::numeric_limits<double>::quiet_NaN());
      file_.append(datasets_[i], std::span(&value, 1));
    }
  }
}

void SweepHdf5::finish() {
  file_.finish();
}

SweepHdf5Content read_sweep_hdf5(const std::filesystem::path& path, std::int64_t most_rows) {
  const auto read = [&] {
    const Hdf5Reader file(path);
    if (!file.has_attribute("/", "what") || file.text_attribute("/", "what") != "Waferline sweep")
      throw ConfigError(fmt::format("{}: holds no sweep", path.string()));
    const std::int64_t schema = file.integer_attribute("/", "schema");
    if (schema != kSchema)
      throw ConfigError(fmt::format("{}: /@schema: is {}, this program reads {}", path.string(), schema, kSchema));
    return SweepHdf5Content{file.texts(kLines, kMostLines), file.integers(dataset_of("fits"), most_rows),
                            file.reals(dataset_of("tokens_per_s"), most_rows),
                            file.reals(dataset_of("pipelined_tokens_per_s"), most_rows)};
  };
  if (!survives([&] { read(); })) throw ConfigError(fmt::format("{}: is damaged", path.string()));
  SweepHdf5Content content = read();
  check_lengths(content, path);
  return content;
}

}  // namespace waferline::traces
