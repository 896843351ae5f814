#pragma once
// Strict reading of CSV files (RFC 4180): a header of unique names, then records of as many fields, each with its line.

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/object_reader.hpp"

namespace waferline::traces {

/// Limits of the reader. Files beyond them are refused, not truncated.
struct CsvLimits {
  std::int64_t max_bytes = 16 << 20;
  std::int64_t max_rows = 200'000;
  std::int64_t max_columns = 256;
  std::int64_t max_field_bytes = 64 << 10;
};

class CsvTable;

/// One record of a table, which must outlive it. Errors name file, line and column.
class CsvRow {
 public:
  CsvRow(const CsvTable& table, std::size_t index) : table_(&table), index_(index) {}

  /// Line on which the record starts, from 1.
  int line() const;
  /// The field as it stands, without its quotes. Errors: ConfigError if there is no such column.
  std::string_view text(std::string_view column) const;
  bool empty(std::string_view column) const { return text(column).empty(); }

  /// Errors: ConfigError if the field is empty, no plain decimal number, not finite or out of range.
  double real(std::string_view column, RealRange range) const;
  std::int64_t integer(std::string_view column, IntegerRange range) const;
  /// As above; an empty field reads as nothing.
  std::optional<double> optional_real(std::string_view column, RealRange range) const;
  std::optional<std::int64_t> optional_integer(std::string_view column, IntegerRange range) const;

  /// Throws ConfigError `file:line: column: problem`.
  [[noreturn]] void fail(std::string_view column, const std::string& problem) const;

 private:
  const CsvTable* table_;
  std::size_t index_;
};

/// A table in memory. Columns may come in any order; what a caller needs it asks for by name.
class CsvTable {
 public:
  struct Record {
    int line = 0;
    std::vector<std::string> fields;
  };

  CsvTable(std::string file, std::vector<std::string> columns, std::vector<Record> records);

  const std::string& file() const { return file_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Record>& records() const { return records_; }
  std::size_t size() const { return records_.size(); }
  CsvRow row(std::size_t index) const { return {*this, index}; }
  /// Position of a column, or nothing.
  std::optional<std::size_t> column(std::string_view name) const;
  bool has_column(std::string_view name) const { return column(name).has_value(); }

  /// Throws ConfigError naming every column that is missing and the nearest one that is there.
  void require_columns(std::initializer_list<std::string_view> names) const;

 private:
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<Record> records_;
};

/// Parses CSV text; a byte order mark is skipped, fields keep their spaces, quoted ones their line breaks.
/// Errors: ConfigError with file and line for text that is not UTF-8, a zero byte, stray or unclosed quotes, records
/// with another number of fields than the header, empty or repeated column names, an empty file, and sizes beyond the
/// limits.
CsvTable parse_csv(std::string_view text, const std::string& file_name, const CsvLimits& limits = {});

/// Reads and parses a CSV file.
CsvTable read_csv_file(const std::filesystem::path& path, const CsvLimits& limits = {});

/// The field, quoted if it needs it, or holds a number sign, with which many readers begin a comment.
std::string csv_field(std::string_view text);

}  // namespace waferline::traces
