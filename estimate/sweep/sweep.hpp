#pragma once
// The cross product of lists of inputs: points in, rows out. docs/cli.md describes the columns.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/config_node.hpp"
#include "arch/dtype.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "estimate/wafer.hpp"
#include "mapping/placement.hpp"
#include "models/model.hpp"

namespace waferline::estimate {

/// A model, wafer or software profile under the name by which it was asked for.
template <class T>
struct Named {
  std::string name;
  T value;
  std::string content;  ///< text that differs where two versions of it differ
};

/// Values for one key of the hardware file ("wafer.clock_hz") or the software profile ("software.code_bytes").
struct SweepSetting {
  std::string key;
  std::vector<ConfigNode> values;
};

/// One list for each input.
struct SweepAxes {
  std::vector<Named<models::Model>> models;
  std::vector<Named<Wafer>> systems;
  std::vector<Named<SoftwareProfile>> software;
  std::vector<SweepSetting> settings;
  std::vector<std::optional<int>> weight_bits{std::nullopt};
  std::vector<std::optional<DType>> kv_types{std::nullopt};
  std::vector<mapping::Objective> objectives{mapping::Objective::latency};
  std::vector<std::optional<std::int64_t>> wafers{std::nullopt};
  std::vector<std::int64_t> users{1};
  std::vector<std::int64_t> batches{1};
  std::vector<double> accepted_tokens{1};
  std::vector<std::int64_t> contexts{8192};
};

/// What the cells of a column hold.
enum class CellKind : std::uint8_t { text, integer, real };

struct SweepColumn {
  std::string name;
  CellKind kind = CellKind::text;
  std::string unit;     ///< empty for words, counts without one and ratios
  std::string meaning;  ///< half a sentence
};

/// One list of inputs: its column, the argument that asked for it, and its values as cells.
struct SweepAxis {
  SweepColumn column;
  std::string flag;  ///< "--batch"; "--set wafer.clock_hz" for a setting
  std::vector<std::string> cells;
};

/// Cells of one row, as text; reals with every digit that tells two of them apart. Empty where there is no answer.
using SweepRow = std::vector<std::string>;

class Sweep {
 public:
  /// Most points of one sweep.
  static constexpr std::int64_t kMostPoints = 10'000'000;

  /// `program`: name and version of what computes the rows.
  /// Errors: ConfigError for an empty list, a value that stands twice in one, a key that is unknown or given twice, a
  /// value out of its range, and too many points.
  Sweep(SweepAxes axes, std::string program);

  std::int64_t points() const { return points_; }
  /// Inputs first, one column an axis, the last axis changing fastest; then a fingerprint of them; then results.
  const std::vector<SweepColumn>& columns() const { return columns_; }
  /// In the order of their columns.
  const std::vector<SweepAxis>& axes() const { return axes_text_; }
  /// Columns that are known before a point is computed, the fingerprint among them.
  std::size_t input_columns() const { return axes_text_.size() + 1; }
  /// Those cells of a point.
  SweepRow inputs(std::int64_t point) const;
  /// What tells two sweeps apart: "KEY: VALUE" for the version, each axis and each file; last a fingerprint of the
  /// rest.
  const std::vector<std::string>& description() const { return description_; }

  /// All cells of a point. A point that does not fit, or whose values contradict each other, says so in its cells.
  /// Errors: std::logic_error for a bug.
  SweepRow row(std::int64_t point) const;

 private:
  using Position = std::vector<std::size_t>;  ///< index into each axis

  void add_axis(SweepAxis axis);
  void add_files();
  void add_settings();
  void add_request();
  void describe(const std::string& program);
  Position position(std::int64_t point) const;
  Wafer wafer_at(const Position& at) const;
  SoftwareProfile software_at(const Position& at) const;
  DecodeRequest request_at(const Position& at) const;

  SweepAxes axes_;
  std::vector<SweepAxis> axes_text_;
  std::vector<SweepColumn> columns_;
  std::vector<std::string> description_;
  std::string program_;
  std::int64_t points_ = 1;
};

/// Keys that settings may have: "wafer.clock_hz", "software.code_bytes" and so on.
std::vector<std::string> settable_keys();

/// Computes the points from `first` on over `threads` threads (0: as many as OpenMP takes by itself) and hands every
/// row to `take`, in the order of the points and one at a time. Rows do not depend on the number of threads. Errors:
/// the first of those of `Sweep::row` and `take`, after which no row is handed over.
void run_sweep(const Sweep& sweep, std::int64_t first, int threads,
               const std::function<void(std::int64_t point, const SweepRow& row)>& take);

}  // namespace waferline::estimate
