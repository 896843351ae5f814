#pragma once
// The text of a sweep's file, line by line.

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "estimate/sweep/sweep.hpp"
#include "report/sweep/summary.hpp"
#include "traces/csv.hpp"

namespace waferline::cli {

/// A row as a line, without its end.
std::string row_line(const estimate::SweepRow& cells);
std::string header_line(const estimate::Sweep& sweep);

/// The command that makes the same rows, every list written out.
std::string sweep_command(const estimate::Sweep& sweep);

/// The lines "# KEY: VALUE" and the header with which a file begins: what it holds and what made it.
std::string file_head(const estimate::Sweep& sweep);

/// Those lines of a file, from its beginning, without "# ".
std::vector<std::string> head_lines(std::istream& file);

/// What is wrong with a file that begins with other lines than `sweep.description()`, for a message.
std::string head_difference(const estimate::Sweep& sweep, const std::vector<std::string>& there);

/// Calls `take` for every complete line from where `in` stands to its end, and with a table of that one row.
/// Errors: ConfigError beginning with `file` and naming row, column and both values if a line is no row of the sweep,
/// or there are more lines than points.
void read_rows(std::istream& in, const estimate::Sweep& sweep, const std::string& file,
               const std::function<void(const std::string& line, const traces::CsvTable& row)>& take);

/// The first column in which two rows of the sweep differ, with both values; empty if there is none.
std::string row_difference(const estimate::Sweep& sweep, const std::string& there, const std::string& here);

/// What a summary wants to know of a row that has an estimate.
struct SweptRates {
  double tokens_per_s = 0;
  double pipelined_tokens_per_s = 0;
};

/// Nothing for a row that has no estimate.
std::optional<SweptRates> rates_of(const traces::CsvTable& row);

/// Adds rows up by model, in their order.
class SweepCount {
 public:
  explicit SweepCount(const estimate::Sweep& sweep);
  void add(const std::optional<SweptRates>& rates);
  const std::vector<report::SweptModel>& models() const { return models_; }

 private:
  std::int64_t rows_ = 0;
  std::int64_t rows_per_model_ = 0;
  std::vector<report::SweptModel> models_;
};

}  // namespace waferline::cli
