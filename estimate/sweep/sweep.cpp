#include "estimate/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <type_traits>

#include "arch/error.hpp"
#include "arch/object_reader.hpp"
#include "arch/profile_values.hpp"
#include "arch/text_file.hpp"
#include "estimate/sweep/columns.hpp"

namespace waferline::estimate {
namespace {

constexpr std::string_view kWaferPrefix = "wafer.";
constexpr std::string_view kSoftwarePrefix = "software.";
constexpr std::size_t kLongestShown = 60;
constexpr std::size_t kFirstSetting = 3;  ///< after model, system and software

/// FNV-1a: enough to tell files apart that nobody forged.
std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

template <class T>
std::vector<std::string> names(const std::vector<Named<T>>& all) {
  std::vector<std::string> names;
  for (const Named<T>& one : all) names.push_back(one.name);
  return names;
}

/// Short ones from here on: they go into the fingerprint of every point.
template <class T>
void hash_contents(std::vector<Named<T>>& all) {
  for (Named<T>& one : all) one.content = fingerprint(one.content);
}

template <class T, class Text>
std::vector<std::string> texts(const std::vector<T>& values, Text text) {
  std::vector<std::string> all;
  for (const T& value : values) all.push_back(text(value));
  return all;
}

template <class T>
std::vector<std::string> numbers(const std::vector<T>& values) {
  return texts(values, [](T value) { return fmt::format("{}", value); });
}

template <class T>
std::vector<std::string> numbers_or_auto(const std::vector<std::optional<T>>& values) {
  return texts(values, [](const std::optional<T>& value) { return value ? fmt::format("{}", *value) : "auto"; });
}

CellKind kind_of(const std::vector<ConfigNode>& values) {
  const auto is_whole = [](const ConfigNode& value) { return value.integer() != nullptr; };
  const auto is_number = [](const ConfigNode& value) { return value.integer() != nullptr || value.real() != nullptr; };
  if (std::all_of(values.begin(), values.end(), is_whole)) return CellKind::integer;
  return std::all_of(values.begin(), values.end(), is_number) ? CellKind::real : CellKind::text;
}

/// The object {KEY: value}, without the prefix that says of what.
ConfigNode object_of(const std::string& key, std::string_view prefix, const ConfigNode& value) {
  return {ConfigNode::Object{{key.substr(prefix.size()), value}}, 0};
}

void apply(const SweepSetting& setting, const ConfigNode& value, Wafer& wafer, Problems& problems) {
  if (setting.key.starts_with(kWaferPrefix)) set_values(wafer, object_of(setting.key, kWaferPrefix, value), problems);
}

void apply(const SweepSetting& setting, const ConfigNode& value, SoftwareProfile& software, Problems& problems) {
  if (!setting.key.starts_with(kSoftwarePrefix)) return;
  set_values(software, object_of(setting.key, kSoftwarePrefix, value), problems);
}

[[noreturn]] void refuse_key(const std::string& key, const std::vector<std::string>& known) {
  const auto same_but_prefix =
      std::find_if(known.begin(), known.end(), [&](const std::string& one) { return one.ends_with("." + key); });
  const std::string nearest = same_but_prefix != known.end() ? *same_but_prefix : nearest_name(key, known);
  throw ConfigError(fmt::format("--set: {}: unknown key{}\n--set: permitted are {}", printable(key, kLongestShown),
                                nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
                                fmt::join(known, ", ")));
}

}  // namespace

std::vector<std::string> settable_keys() {
  std::vector<std::string> keys;
  for (const std::string& key : settable_wafer_keys()) keys.push_back(std::string(kWaferPrefix) + key);
  for (const std::string& key : settable_software_keys()) keys.push_back(std::string(kSoftwarePrefix) + key);
  return keys;
}

Sweep::Sweep(SweepAxes axes, std::string program) : axes_(std::move(axes)), program_(std::move(program)) {
  hash_contents(axes_.models);
  hash_contents(axes_.systems);
  hash_contents(axes_.software);
  add_files();
  add_settings();
  add_request();
  columns_.push_back(
      {"inputs_fingerprint", CellKind::text, "", "of the inputs, the files behind them and the version"});
  for (SweepColumn& column : result_columns()) columns_.push_back(std::move(column));
  describe(program_);
}

void Sweep::add_files() {
  add_axis({{"model", CellKind::text, "", "as it was asked for"}, "--model", names(axes_.models)});
  add_axis({{"system", CellKind::text, "", "wafer, as it was asked for"}, "--system", names(axes_.systems)});
  add_axis({{"software", CellKind::text, "", "profile, as it was asked for"}, "--software", names(axes_.software)});
}

void Sweep::add_request() {
  const auto type_text = [](const std::optional<DType>& type) { return type ? std::string(name(*type)) : "auto"; };
  const auto objective_text = [](mapping::Objective one) { return std::string(mapping::name(one)); };
  add_axis({{"weight_bits", CellKind::text, "bits", "of a weight; auto: as the checkpoint stores it"},
            "--weight-bits",
            numbers_or_auto(axes_.weight_bits)});
  add_axis({{"kv_type", CellKind::text, "", "storage of the cache; auto: as the checkpoint says"},
            "--kv-type",
            texts(axes_.kv_types, type_text)});
  add_axis(
      {{"objective", CellKind::text, "", "of the placement"}, "--objective", texts(axes_.objectives, objective_text)});
  add_axis({{"wafers_asked", CellKind::text, "wafers", "auto: the fewest that fit"},
            "--wafers",
            numbers_or_auto(axes_.wafers)});
  add_axis({{"users", CellKind::integer, "users", "whose caches are held"}, "--users", numbers(axes_.users)});
  add_axis({{"batch", CellKind::integer, "users", "whose tokens pass together"}, "--batch", numbers(axes_.batches)});
  add_axis({{"accepted_tokens", CellKind::real, "tokens", "that one pass yields"},
            "--accepted-tokens",
            numbers(axes_.accepted_tokens)});
  add_axis({{"context_tokens", CellKind::integer, "tokens", "in the cache of each user"},
            "--context",
            numbers(axes_.contexts)});
}

void Sweep::add_axis(SweepAxis axis) {
  const std::string& flag = axis.flag;
  if (axis.cells.empty()) throw ConfigError(fmt::format("{}: has no value, one at least is needed", flag));
  std::set<std::string_view> seen;
  for (const std::string& cell : axis.cells) {
    const std::string shown = printable(as_utf8(cell), kLongestShown);
    if (!seen.insert(cell).second) throw ConfigError(fmt::format("{}: {} is given twice", flag, shown));
    // A row is a line, and HDF5 holds UTF-8.
    if (printable(cell, cell.size()) != cell || as_utf8(cell) != cell) {
      throw ConfigError(fmt::format("{}: {} holds a control character or is not UTF-8", flag, shown));
    }
  }
  const auto many = static_cast<std::int64_t>(axis.cells.size());
  if (many > kMostPoints / points_) {
    throw ConfigError(fmt::format("{}: its {} values make more than the {} points permitted", flag, many, kMostPoints));
  }
  points_ *= many;
  columns_.push_back(axis.column);
  axes_text_.push_back(std::move(axis));
}

void Sweep::add_settings() {
  std::set<std::string_view> seen;
  const std::vector<std::string> known = settable_keys();
  for (const SweepSetting& setting : axes_.settings) {
    if (std::find(known.begin(), known.end(), setting.key) == known.end()) refuse_key(setting.key, known);
    if (!seen.insert(setting.key).second) {
      throw ConfigError(fmt::format("--set: {} is given twice, write all its values in one list", setting.key));
    }
    Problems problems("--set");
    Wafer wafer = axes_.systems.at(0).value;
    SoftwareProfile software = axes_.software.at(0).value;
    for (const ConfigNode& value : setting.values) {
      apply(setting, value, wafer, problems);
      apply(setting, value, software, problems);
    }
    problems.throw_if_any();
    const char* file = setting.key.starts_with(kWaferPrefix) ? "of the wafer" : "of the software profile";
    add_axis({{setting.key, kind_of(setting.values), unit_of_key(setting.key), file},
              "--set " + setting.key,
              texts(setting.values, text_of_value)});
  }
}

void Sweep::describe(const std::string& program) {
  description_.push_back(fmt::format("program: {}", program));
  for (const SweepAxis& axis : axes_text_) {
    description_.push_back(fmt::format("{}: {}", axis.column.name, fmt::join(axis.cells, ",")));
  }
  const auto contents = [&](const char* what, const auto& all) {
    for (const auto& one : all) {
      description_.push_back(fmt::format("content of {} {}: {}", what, one.name, one.content));
    }
  };
  contents("model", axes_.models);
  contents("system", axes_.systems);
  contents("software", axes_.software);
  description_.push_back(fmt::format("fingerprint: {}", fingerprint(fmt::format("{}", fmt::join(description_, "\n")))));
}

Sweep::Position Sweep::position(std::int64_t point) const {
  Position at(axes_text_.size());
  for (std::size_t axis = axes_text_.size(); axis-- > 0;) {
    const auto many = static_cast<std::int64_t>(axes_text_[axis].cells.size());
    at[axis] = static_cast<std::size_t>(point % many);
    point /= many;
  }
  return at;
}

SweepRow Sweep::inputs(std::int64_t point) const {
  const Position at = position(point);
  SweepRow cells;
  for (std::size_t axis = 0; axis < at.size(); ++axis) cells.push_back(axes_text_[axis].cells[at[axis]]);
  const std::string all =
      fmt::format("{}\n{}\n{}\n{}\n{}", program_, fmt::join(cells, "\n"), axes_.models[at[0]].content,
                  axes_.systems[at[1]].content, axes_.software[at[2]].content);
  cells.push_back(fingerprint(all));
  return cells;
}

Wafer Sweep::wafer_at(const Position& at) const {
  Wafer wafer = axes_.systems[at[1]].value;
  Problems problems("--set");
  for (std::size_t i = 0; i < axes_.settings.size(); ++i) {
    apply(axes_.settings[i], axes_.settings[i].values[at[kFirstSetting + i]], wafer, problems);
  }
  problems.throw_if_any();
  const std::vector<std::string> wrong = contradictions(wafer);
  if (!wrong.empty()) throw ConfigError(fmt::format("{}", fmt::join(wrong, "; ")));
  return wafer;
}

SoftwareProfile Sweep::software_at(const Position& at) const {
  SoftwareProfile software = axes_.software[at[2]].value;
  Problems problems("--set");
  for (std::size_t i = 0; i < axes_.settings.size(); ++i) {
    apply(axes_.settings[i], axes_.settings[i].values[at[kFirstSetting + i]], software, problems);
  }
  problems.throw_if_any();
  return software;
}

DecodeRequest Sweep::request_at(const Position& at) const {
  auto axis = at.begin() + static_cast<std::ptrdiff_t>(kFirstSetting + axes_.settings.size());
  DecodeRequest request;
  request.weight_bits = axes_.weight_bits[*axis++];
  request.kv_dtype = axes_.kv_types[*axis++];
  request.objective = axes_.objectives[*axis++];
  request.wafers = axes_.wafers[*axis++];
  request.users = axes_.users[*axis++];
  request.batch = axes_.batches[*axis++];
  request.accepted_tokens = axes_.accepted_tokens[*axis++];
  request.context_tokens = axes_.contexts[*axis++];
  return request;
}

SweepRow Sweep::row(std::int64_t point) const {
  const Position at = position(point);
  SweepRow row = inputs(point);
  const auto result = [&]() -> SweepRow {
    try {
      return result_cells(estimate_decode(axes_.models[at[0]].value, wafer_at(at), software_at(at), request_at(at)));
    } catch (const DoesNotFit& misfit) {
      return misfit_cells(misfit.what());
    } catch (const ConfigError& contradiction) {
      return misfit_cells(contradiction.what());
    }
  }();
  row.insert(row.end(), result.begin(), result.end());
  return row;
}

}  // namespace waferline::estimate
