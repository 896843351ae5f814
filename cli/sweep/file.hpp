#pragma once
// The file of a sweep: FILE.partial while rows are missing, FILE once all are there.

#include <cstdint>
#include <string>
#include <utility>

#include "estimate/sweep/sweep.hpp"
#include "report/sweep/summary.hpp"

namespace waferline::cli {

/// An open file, closed when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& from) noexcept : value_(std::exchange(from.value_, -1)) {}
  Descriptor& operator=(Descriptor&& from) noexcept {
    std::swap(value_, from.value_);
    return *this;
  }
  ~Descriptor();
  int value() const { return value_; }

 private:
  int value_ = -1;
};

/// CSV (RFC 4180): lines "# KEY: VALUE" that say what it holds and what made it, a header, and one row a point, in the
/// order of the points. FILE.partial is the beginning of that; a row that was cut off is dropped when it is opened
/// again. It becomes FILE by its name, or, for a FILE.h5, by being written as HDF5. One process at a time.
class SweepFile {
 public:
  /// Keeps a reference to `sweep`. With `resume` it goes on with what is there, FILE.partial before FILE; without, a
  /// FILE.partial is refused, since it holds work, and a FILE stays until all rows are there for another.
  /// Errors: ConfigError for a name that says no format, a place that cannot be written to, a file that holds something
  /// else (naming what differs), and a sweep that another process is writing there.
  SweepFile(std::string path, const estimate::Sweep& sweep, bool resume);

  /// Rows that are there.
  std::int64_t rows() const { return rows_; }
  bool finished() const { return finished_; }

  /// Errors: ConfigError naming a column if the last row that is there differs from what this program computes.
  void check_last_row() const;

  /// Adds the next row; once it returns, the row outlives the process. Errors: ConfigError.
  void append(const estimate::SweepRow& row);

  /// Gives the file its final form and name. Precondition: all rows are there. Errors: ConfigError.
  void finish();

  /// Sums up a finished file.
  report::SweepSummary summary() const;

 private:
  void lock_partial();
  void read_partial();
  void read_finished();
  void write_hdf5() const;

  std::string path_;
  std::string partial_;
  bool hdf5_ = false;
  const estimate::Sweep& sweep_;
  Descriptor descriptor_;
  std::int64_t rows_ = 0;
  std::int64_t continued_from_ = 0;
  std::string last_row_;
  bool finished_ = false;
};

}  // namespace waferline::cli
