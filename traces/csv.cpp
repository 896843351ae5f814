// Follows: RFC 4180, with a header required and both CRLF and LF accepted.
#include "traces/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "arch/error.hpp"
#include "arch/text_file.hpp"

namespace waferline::traces {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Splits text into records; one instance parses one text.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file, const CsvLimits& limits)
      : text_(text), file_(file), limits_(limits) {}

  /// The next record, or nothing at the end of the text.
  std::optional<CsvTable::Record> next() {
    if (at_ >= text_.size()) return std::nullopt;
    CsvTable::Record record;
    record.line = line_;
    while (true) {
      record.fields.push_back(field());
      if (std::ssize(record.fields) > limits_.max_columns)
        fail(fmt::format("more than {} fields in one record", limits_.max_columns));
      if (!take(',')) break;
    }
    end_of_record();
    return record;
  }

  [[noreturn]] void fail(const std::string& problem, int line = 0) const {
    throw ConfigError(fmt::format("{}:{}: {}", file_, line > 0 ? line : line_, problem));
  }

 private:
  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void end_of_record() {
    const bool carriage = take('\r');
    if (take('\n')) {
      ++line_;
      return;
    }
    if (carriage) fail("carriage return without a line feed");
    if (at_ < text_.size()) fail("text after the closing quote of a field");
  }

  std::string field() {
    std::string value = take('"') ? quoted() : plain();
    if (std::ssize(value) > limits_.max_field_bytes)
      fail(fmt::format("a field of {} bytes (at most {})", value.size(), limits_.max_field_bytes));
    return value;
  }

  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::string_view value = text_.substr(at_, end - at_);
    if (value.find('"') != std::string_view::npos) fail("a quote inside a field that is not quoted");
    at_ = end;
    return std::string(value);
  }

  std::string quoted() {
    const int opened = line_;
    std::string value;
    while (at_ < text_.size()) {
      const char character = text_[at_++];
      if (character == '"' && !take('"')) return value;
      if (character == '\n') ++line_;
      value += character;
    }
    fail("the quote that opens a field here is never closed", opened);
  }

  std::string_view text_;
  const std::string& file_;
  const CsvLimits& limits_;
  std::size_t at_ = 0;
  int line_ = 1;
};

void check_header(const std::vector<std::string>& columns, const Parser& parser) {
  // One mark may open a file; a name that begins with another would never be found under its name.
  if (columns.front().starts_with(byte_order_mark)) parser.fail("a column name begins with a byte order mark", 1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].empty()) parser.fail(fmt::format("column {} has no name", i + 1), 1);
    if (std::find(columns.begin(), columns.begin() + i, columns[i]) != columns.begin() + i)
      parser.fail(fmt::format("column \"{}\" stands twice in the header", columns[i]), 1);
  }
}

/// The whole of `text` as a number of type T, or nothing.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  return text.size() <= longest ? std::string(text) : fmt::format("{}...", text.substr(0, longest));
}

}  // namespace

CsvTable::CsvTable(std::string file, std::vector<std::string> columns, std::vector<Record> records)
    : file_(std::move(file)), columns_(std::move(columns)), records_(std::move(records)) {}

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

void CsvTable::require_columns(std::initializer_list<std::string_view> names) const {
  Problems problems(file_);
  for (const std::string_view wanted : names) {
    if (has_column(wanted)) continue;
    const std::string nearest = nearest_name(wanted, columns_);
    problems.add(
        1, std::string(wanted),
        nearest.empty() ? "column is missing" : fmt::format("column is missing (did you mean \"{}\"?)", nearest));
  }
  problems.throw_if_any();
}

int CsvRow::line() const {
  return table_->records()[index_].line;
}

std::string_view CsvRow::text(std::string_view column) const {
  const auto position = table_->column(column);
  if (!position) fail(column, "no such column");
  return table_->records()[index_].fields[*position];
}

double CsvRow::real(std::string_view column, RealRange range) const {
  const std::string_view written = text(column);
  const auto value = number<double>(written);
  if (!value || !std::isfinite(*value)) fail(column, fmt::format("\"{}\" is no number", shown(written)));
  if (*value < range.lowest || *value > range.highest)
    fail(column, fmt::format("{} is out of range ({} to {})", shown(written), range.lowest, range.highest));
  return *value;
}

std::int64_t CsvRow::integer(std::string_view column, IntegerRange range) const {
  const std::string_view written = text(column);
  const auto value = number<std::int64_t>(written);
  if (!value) fail(column, fmt::format("\"{}\" is no integer", shown(written)));
  if (*value < range.lowest || *value > range.highest)
    fail(column, fmt::format("{} is out of range ({} to {})", *value, range.lowest, range.highest));
  return *value;
}

std::optional<double> CsvRow::optional_real(std::string_view column, RealRange range) const {
  if (empty(column)) return std::nullopt;
  return real(column, range);
}

std::optional<std::int64_t> CsvRow::optional_integer(std::string_view column, IntegerRange range) const {
  if (empty(column)) return std::nullopt;
  return integer(column, range);
}

void CsvRow::fail(std::string_view column, const std::string& problem) const {
  throw ConfigError(fmt::format("{}:{}: {}: {}", table_->file(), line(), column, problem));
}

CsvTable parse_csv(std::string_view text, const std::string& file_name, const CsvLimits& limits) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Parser parser(text, file_name, limits);
  if (std::ssize(text) > limits.max_bytes) parser.fail(fmt::format("more than {} bytes", limits.max_bytes));
  if (const int line = first_invalid_utf8_line(text); line > 0) parser.fail("text is not UTF-8", line);
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    parser.fail("a zero byte", 1 + static_cast<int>(std::count(text.begin(), text.begin() + zero, '\n')));

  const auto header = parser.next();
  if (!header) parser.fail("the file is empty (a header with column names was expected)");
  check_header(header->fields, parser);
  std::vector<CsvTable::Record> records;
  while (auto record = parser.next()) {
    if (record->fields.size() != header->fields.size())
      parser.fail(fmt::format("{} fields, but the header has {}", record->fields.size(), header->fields.size()),
                  record->line);
    if (std::ssize(records) >= limits.max_rows) parser.fail(fmt::format("more than {} records", limits.max_rows));
    records.push_back(std::move(*record));
  }
  return {file_name, header->fields, std::move(records)};
}

CsvTable read_csv_file(const std::filesystem::path& path, const CsvLimits& limits) {
  return parse_csv(read_text_file(path, limits.max_bytes), path.string(), limits);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\r\n#") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

}  // namespace waferline::traces
