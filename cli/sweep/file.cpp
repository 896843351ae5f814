#include "cli/sweep/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/sweep/rows.hpp"
#include "traces/sweep/hdf5.hpp"

namespace waferline::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* what_to_do = "; remove it or name another --out";

[[noreturn]] void fail(const std::string& file, const char* what) {
  throw ConfigError(fmt::format("--out: {}: {}: {}", shown_argument(file), what, std::strerror(errno)));
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw ConfigError(fmt::format("--out: {} {}{}", shown_argument(file), problem, what_to_do));
}

/// Calls `read`; what it finds wrong is said as the other problems of --out are.
template <class Read>
void refusing(Read read) {
  try {
    read();
  } catch (const ConfigError& problem) {
    throw ConfigError(fmt::format("--out: {}{}", problem.what(), what_to_do));
  }
}

bool names_hdf5(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".csv") return false;
  if (extension == ".h5" || extension == ".hdf5") return true;
  throw ConfigError(
      fmt::format("--out: is {}, a name that ends in .csv, .h5 or .hdf5 was expected", shown_argument(path)));
}

/// Whether `descriptor` is still the file of that name: another process may have finished and renamed it meanwhile.
bool is_file_of(const std::string& path, int descriptor) {
  struct stat named {};
  struct stat opened {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

bool is_empty(int descriptor) {
  struct stat opened {};
  return ::fstat(descriptor, &opened) == 0 && opened.st_size == 0;
}

void write_all(int descriptor, std::string_view text, const std::string& file) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(file, "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// How a file begins, and what comes after.
enum class Beginning { whole, cut_off, other };

/// Leaves `in` behind the head if that is whole.
Beginning read_head(std::istream& in, const std::string& head) {
  std::string there(head.size(), '\0');
  in.read(there.data(), static_cast<std::streamsize>(there.size()));
  there.resize(static_cast<std::size_t>(in.gcount()));
  in.clear();
  if (there == head) return Beginning::whole;
  return there.size() < head.size() && head.starts_with(there) ? Beginning::cut_off : Beginning::other;
}

}  // namespace

SweepFile::SweepFile(std::string path, const estimate::Sweep& sweep, bool resume)
    : path_(std::move(path)), sweep_(sweep) {
  check_output_file("--out", path_);
  hdf5_ = names_hdf5(path_);
  std::error_code ignored;
  if (fs::is_symlink(path_, ignored)) path_ = fs::weakly_canonical(path_, ignored).string();
  partial_ = path_ + ".partial";
  for (const std::string& file : {path_, partial_}) {
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) refuse(file, "is no regular file");
  }
  lock_partial();
  if (!is_empty(descriptor_.value())) {
    if (!resume) refuse(partial_, "holds a sweep that was not finished; --resume goes on with it");
    read_partial();
  } else if (resume && fs::exists(path_, ignored)) {
    fs::remove(partial_, ignored);
    descriptor_ = {};
    read_finished();
  } else {
    write_all(descriptor_.value(), file_head(sweep_), partial_);
  }
  continued_from_ = rows_;
}

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

void SweepFile::lock_partial() {
  while (true) {
    descriptor_ = Descriptor(::open(partial_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (descriptor_.value() < 0) fail(partial_, "cannot be opened");
    if (::flock(descriptor_.value(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail(partial_, "cannot be locked");
      throw ConfigError(fmt::format("--out: {}: another process is writing it now", shown_argument(partial_)));
    }
    if (is_file_of(partial_, descriptor_.value())) return;
  }
}

void SweepFile::read_partial() {
  const std::string head = file_head(sweep_);
  std::ifstream in(partial_, std::ios::binary);
  if (!in) fail(partial_, "cannot be read");
  const Beginning beginning = read_head(in, head);
  if (beginning == Beginning::other) {
    in.seekg(0);
    refuse(partial_, head_difference(sweep_, head_lines(in)));
  }
  auto end = static_cast<off_t>(beginning == Beginning::whole ? head.size() : 0);
  if (end > 0) {
    refusing([&] {
      read_rows(in, sweep_, shown_argument(partial_), [&](const std::string& line, const traces::CsvTable&) {
        end += static_cast<off_t>(line.size() + 1);
        last_row_ = line;
        ++rows_;
      });
    });
  }
  if (::ftruncate(descriptor_.value(), end) != 0) fail(partial_, "cannot be shortened to its whole rows");
  if (end == 0) write_all(descriptor_.value(), head, partial_);
}

void SweepFile::read_finished() {
  finished_ = true;
  if (hdf5_) {
    refusing([&] {
      const traces::SweepHdf5Content content = traces::read_sweep_hdf5(path_, estimate::Sweep::kMostPoints);
      if (content.description.back() != sweep_.description().back())
        throw ConfigError(shown_argument(path_) + " " + head_difference(sweep_, content.description));
      rows_ = std::ssize(content.fits);
    });
  } else {
    std::ifstream in(path_, std::ios::binary);
    if (!in) fail(path_, "cannot be read");
    if (read_head(in, file_head(sweep_)) != Beginning::whole) {
      in.seekg(0);
      refuse(path_, head_difference(sweep_, head_lines(in)));
    }
    refusing([&] {
      read_rows(in, sweep_, shown_argument(path_), [&](const std::string& line, const traces::CsvTable&) {
        last_row_ = line;
        ++rows_;
      });
    });
  }
  if (rows_ < sweep_.points())
    refuse(path_, fmt::format("has {} rows, this sweep has {} points", rows_, sweep_.points()));
}

void SweepFile::check_last_row() const {
  if (last_row_.empty()) return;
  const std::string here = row_line(sweep_.row(rows_ - 1));
  if (here == last_row_) return;
  const std::string difference = row_difference(sweep_, last_row_, here);
  refuse(finished_ ? path_ : partial_, fmt::format("was computed by another build: row {}: {}", rows_,
                                                   difference.empty() ? "is written in another way" : difference));
}

void SweepFile::append(const estimate::SweepRow& row) {
  write_all(descriptor_.value(), row_line(row) + "\n", partial_);
  ++rows_;
}

void SweepFile::write_hdf5() const {
  const std::size_t head = file_head(sweep_).size();
  const auto each = [&](const auto& take) {
    std::ifstream in(partial_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(head));
    read_rows(in, sweep_, shown_argument(partial_), take);
  };
  naming_flag("--out", [&] {
    traces::LongestCells longest(sweep_);
    each([&](const std::string&, const traces::CsvTable& row) { longest.add(row.records().front().fields); });
    traces::SweepHdf5 file(path_, sweep_, sweep_command(sweep_), longest);
    each([&](const std::string&, const traces::CsvTable& row) { file.add(row.row(0)); });
    file.finish();
  });
}

void SweepFile::finish() {
  std::error_code problem;
  if (hdf5_) {
    write_hdf5();
    fs::remove(partial_, problem);
  } else {
    if (::fsync(descriptor_.value()) != 0) fail(partial_, "cannot be written");
    fs::rename(partial_, path_, problem);
    if (problem) {
      errno = problem.value();
      fail(path_, "cannot be written");
    }
  }
  finished_ = true;
}

report::SweepSummary SweepFile::summary() const {
  report::SweepSummary summary{path_, sweep_.points(), continued_from_, {}};
  SweepCount count(sweep_);
  if (hdf5_) {
    const traces::SweepHdf5Content content = traces::read_sweep_hdf5(path_, sweep_.points());
    for (std::size_t i = 0; i < content.fits.size(); ++i) {
      count.add(content.fits[i] == 0
                    ? std::nullopt
                    : std::optional(SweptRates{content.tokens_per_s[i], content.pipelined_tokens_per_s[i]}));
    }
  } else {
    std::ifstream in(path_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(file_head(sweep_).size()));
    read_rows(in, sweep_, path_, [&](const std::string&, const traces::CsvTable& row) { count.add(rates_of(row)); });
  }
  summary.models = count.models();
  return summary;
}

}  // namespace waferline::cli
