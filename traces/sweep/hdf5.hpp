#pragma once
// A finished sweep as HDF5: one dataset a column under /rows, chunked and compressed. docs/cli.md lists what is in it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "estimate/sweep/sweep.hpp"
#include "traces/csv.hpp"
#include "traces/run/hdf5_writer.hpp"

namespace waferline::traces {

/// Bytes of the longest cell of each column, which HDF5 asks for before the first row.
class LongestCells {
 public:
  explicit LongestCells(const estimate::Sweep& sweep) : bytes_(sweep.columns().size(), 0) {}
  void add(const std::vector<std::string>& cells);
  std::size_t of(std::size_t column) const { return bytes_[column]; }

 private:
  std::vector<std::size_t> bytes_;
};

/// Writes rows in their order. Where a row has no answer reals are NaN, whole numbers -1 and texts empty.
class SweepHdf5 {
 public:
  /// Keeps a reference to `sweep`. `command`: what makes the same rows. Errors: ConfigError, see Hdf5Writer.
  SweepHdf5(const std::filesystem::path& target, const estimate::Sweep& sweep, const std::string& command,
            const LongestCells& longest);
  /// Errors: also ConfigError naming row and column for a cell that is no number where one belongs.
  void add(const CsvRow& row);
  /// Writes the file under its name. Nothing may follow.
  void finish();

 private:
  const estimate::Sweep& sweep_;
  Hdf5Writer file_;
  std::vector<std::size_t> datasets_;
};

/// What a finished file says of itself, and what a summary needs of its rows.
struct SweepHdf5Content {
  std::vector<std::string> description;  ///< as Sweep::description
  std::vector<std::int64_t> fits;        ///< one entry a row, here and below
  std::vector<double> tokens_per_s;
  std::vector<double> pipelined_tokens_per_s;
};

/// Errors: ConfigError naming the file if it is no HDF5 file of a sweep of at most `most_rows`, or damaged.
SweepHdf5Content read_sweep_hdf5(const std::filesystem::path& path, std::int64_t most_rows);

}  // namespace waferline::traces
