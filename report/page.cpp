#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace waferline::report {
namespace {

constexpr int column_gap = 2;
constexpr int narrowest_wrap = 10;
constexpr int longest_unbroken = 40;

std::string padded(std::string_view text, int width, Align align) {
  const int missing = width - static_cast<int>(display_width(text));
  if (missing <= 0) return std::string(text);
  const std::string space(static_cast<std::size_t>(missing), ' ');
  return align == Align::right ? space + std::string(text) : std::string(text) + space;
}

int longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    longest = std::max(longest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return static_cast<int>(longest);
}

void strip_end(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Lines wrapped(std::string_view text, int width, int indent, int hanging) {
  Lines lines;
  const std::string first_margin(static_cast<std::size_t>(indent), ' ');
  const std::string later_margin(static_cast<std::size_t>(indent + hanging), ' ');
  std::string line = first_margin;
  bool fresh = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!fresh && static_cast<int>(display_width(line) + 1 + display_width(word)) > width) {
      lines.push_back(std::move(line));
      line = later_margin;
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
  }
  if (!fresh || lines.empty()) lines.push_back(fresh ? std::string() : std::move(line));
  return lines;
}

std::string bar(double fraction, int width, bool unicode) {
  const double clipped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(clipped * width)), '#');
  static constexpr std::array<const char*, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  long units = std::lround(clipped * width * 8);
  if (units == 0 && clipped > 0) units = 1;
  std::string text;
  for (long i = 0; i < units / 8; ++i) text += "█";
  return text + eighths[static_cast<std::size_t>(units % 8)];
}

std::string joined(const Lines& lines) {
  return lines.empty() ? std::string() : fmt::format("{}\n", fmt::join(lines, "\n"));
}

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<int> Table::widths(const Page& page) const {
  std::vector<int> widths;
  std::vector<int> narrowest;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].heading);
    int least = std::max(narrowest_wrap, static_cast<int>(widest));
    for (const auto& row : rows_) {
      widest = std::max(widest, display_width(row[c]));
      least = std::max(least, std::min(longest_word(row[c]), longest_unbroken));
    }
    widths.push_back(static_cast<int>(widest));
    narrowest.push_back(least);
  }
  const int total =
      std::accumulate(widths.begin(), widths.end(), indent_) + column_gap * (static_cast<int>(columns_.size()) - 1);
  // The widest wrapping column gives way first, so that no narrow one is broken for a wide one's sake.
  for (int excess = total - page.width; excess > 0; --excess) {
    int* widest = nullptr;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool can_give = columns_[c].align == Align::wrap && widths[c] > narrowest[c];
      if (can_give && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

void Table::append_row(Lines& lines, const std::vector<std::string>& cells, const std::vector<int>& widths) const {
  std::vector<Lines> parts;
  std::size_t height = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    parts.push_back(columns_[c].align == Align::wrap ? wrapped(cells[c], widths[c]) : Lines{cells[c]});
    height = std::max(height, parts.back().size());
  }
  for (std::size_t h = 0; h < height; ++h) {
    std::string line(static_cast<std::size_t>(indent_), ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line.append(column_gap, ' ');
      line += padded(h < parts[c].size() ? parts[c][h] : "", widths[c], columns_[c].align);
    }
    strip_end(line);
    lines.push_back(std::move(line));
  }
}

Lines Table::lines(const Page& page) const {
  const std::vector<int> column_widths = widths(page);
  Lines lines;
  std::vector<std::string> headings;
  std::vector<std::string> rules;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    headings.push_back(columns_[c].heading);
    rules.emplace_back(static_cast<std::size_t>(columns_[c].heading.empty() ? 0 : column_widths[c]), '-');
  }
  const bool headed = std::any_of(headings.begin(), headings.end(), [](const std::string& h) { return !h.empty(); });
  if (headed) {
    append_row(lines, headings, column_widths);
    append_row(lines, rules, column_widths);
  }
  for (const auto& row : rows_) append_row(lines, row, column_widths);
  return lines;
}

}  // namespace waferline::report
