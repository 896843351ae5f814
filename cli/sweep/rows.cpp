#include "cli/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"

namespace waferline::cli {
namespace {

constexpr std::size_t longest_shown = 120;

traces::CsvTable table_of(const estimate::Sweep& sweep, const std::string& line) {
  return traces::parse_csv(header_line(sweep) + "\n" + line + "\n", "row");
}

/// What two long lists have in common at their beginning says nothing.
std::string values_differ(const std::string& name, std::string_view there, std::string_view here) {
  const auto differs = std::mismatch(there.begin(), there.end(), here.begin(), here.end()).first;
  const std::string_view common = there.substr(0, static_cast<std::size_t>(differs - there.begin()));
  if (const std::size_t comma = common.rfind(','); comma != std::string_view::npos && comma > longest_shown / 2) {
    return values_differ(name + " after " + std::string(common.substr(0, 20)) + "...", there.substr(comma + 1),
                         here.substr(comma + 1));
  }
  return fmt::format("{} is {} there, {} here", name, printable(there, longest_shown), printable(here, longest_shown));
}

/// The part of a description before its colon.
std::string subject(const std::string& line) {
  return line.substr(0, line.find(": "));
}

std::string rest(const std::string& line) {
  const std::size_t colon = line.find(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

/// The table of one row has a header before it, so that its own line number says nothing.
traces::CsvTable read_row(const estimate::Sweep& sweep, const std::string& line, const std::string& where) {
  try {
    return table_of(sweep, line);
  } catch (const ConfigError&) {
    throw ConfigError(fmt::format("{}: is no row of this sweep", where));
  }
}

/// `line` does not begin with the inputs of its point.
[[noreturn]] void refuse_row(const estimate::Sweep& sweep, estimate::SweepRow expected, const std::string& line,
                             const std::string& where) {
  read_row(sweep, line, where);
  expected.resize(sweep.columns().size());
  throw ConfigError(fmt::format("{}: {}", where, row_difference(sweep, line, row_line(expected))));
}

void keep_best(std::optional<report::BestRow>& best, std::int64_t row, double tokens_per_s) {
  if (!best || tokens_per_s > best->tokens_per_s) best = {row, tokens_per_s};
}

}  // namespace

std::string row_line(const estimate::SweepRow& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += traces::csv_field(cell);
  }
  return line;
}

std::string header_line(const estimate::Sweep& sweep) {
  estimate::SweepRow names;
  for (const estimate::SweepColumn& column : sweep.columns()) names.push_back(column.name);
  return row_line(names);
}

std::string sweep_command(const estimate::Sweep& sweep) {
  std::string command = "waferline sweep";
  for (const estimate::SweepAxis& axis : sweep.axes()) {
    const std::string list = fmt::format("{}", fmt::join(axis.cells, ","));
    // "--set KEY" takes its list after '='.
    const std::size_t space = axis.flag.find(' ');
    const std::string value = space == std::string::npos ? list : axis.flag.substr(space + 1) + "=" + list;
    command += fmt::format(" {} {}", axis.flag.substr(0, space), shell_quoted(value));
  }
  return command;
}

std::string file_head(const estimate::Sweep& sweep) {
  std::string head;
  for (const std::string& line : sweep.description()) head += fmt::format("# {}\n", line);
  return head + fmt::format("# command: {}\n{}\n", sweep_command(sweep), header_line(sweep));
}

std::vector<std::string> head_lines(std::istream& file) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line) && line.starts_with("# ");) {
    if (!line.starts_with("# command: ")) lines.push_back(line.substr(2));
  }
  return lines;
}

std::string head_difference(const estimate::Sweep& sweep, const std::vector<std::string>& there) {
  if (there.empty()) return "holds no sweep";
  const std::vector<std::string>& here = sweep.description();
  const auto about = [](const std::vector<std::string>& lines, const std::string& what) {
    return std::find_if(lines.begin(), lines.end(), [&](const std::string& line) { return subject(line) == what; });
  };
  for (const std::string& line : here) {
    const auto other = about(there, subject(line));
    if (other == there.end()) return fmt::format("holds a sweep without {}", subject(line));
    if (rest(*other) != rest(line)) {
      return fmt::format("holds another sweep: {}", values_differ(subject(line), rest(*other), rest(line)));
    }
  }
  for (const std::string& line : there) {
    if (about(here, subject(line)) == here.end()) return fmt::format("holds a sweep with {}", line);
  }
  return "holds a sweep with its inputs in another order";
}

std::string row_difference(const estimate::Sweep& sweep, const std::string& there, const std::string& here) {
  const std::vector<std::string> left = table_of(sweep, there).records().at(0).fields;
  const std::vector<std::string> right = table_of(sweep, here).records().at(0).fields;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (left[i] != right[i]) return values_differ(sweep.columns()[i].name, left[i], right[i]);
  }
  return {};
}

void read_rows(std::istream& in, const estimate::Sweep& sweep, const std::string& file,
               const std::function<void(const std::string& line, const traces::CsvTable& row)>& take) {
  std::int64_t row = 0;
  for (std::string line; std::getline(in, line) && !in.eof(); ++row) {
    if (row == sweep.points()) {
      throw ConfigError(fmt::format("{}: has more rows than the {} points of this sweep", file, sweep.points()));
    }
    const estimate::SweepRow inputs = sweep.inputs(row);
    const std::string where = fmt::format("{}: row {}", file, row + 1);
    if (!line.starts_with(row_line(inputs) + ",")) refuse_row(sweep, inputs, line, where);
    take(line, read_row(sweep, line, where));
  }
}

std::optional<SweptRates> rates_of(const traces::CsvTable& table) {
  constexpr RealRange rates{0, 1e18};
  const traces::CsvRow row = table.row(0);
  if (row.integer("fits", {0, 1}) == 0) return std::nullopt;
  return SweptRates{row.real("tokens_per_s", rates), row.real("pipelined_tokens_per_s", rates)};
}

SweepCount::SweepCount(const estimate::Sweep& sweep) {
  for (const std::string& model : sweep.axes().front().cells) models_.push_back({model, 0, 0, {}, {}});
  rows_per_model_ = sweep.points() / std::ssize(models_);
}

void SweepCount::add(const std::optional<SweptRates>& rates) {
  report::SweptModel& model = models_.at(static_cast<std::size_t>(rows_++ / rows_per_model_));
  ++model.points;
  if (!rates) return;
  ++model.fit;
  keep_best(model.fastest, rows_, rates->tokens_per_s);
  keep_best(model.busiest, rows_, rates->pipelined_tokens_per_s);
}

}  // namespace waferline::cli
