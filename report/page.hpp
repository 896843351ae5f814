#pragma once
// Lines of text for a page of given width: tables, bars, paragraphs. Everything here is a pure function of its input.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waferline::report {

/// What the reader's screen can show.
struct Page {
  int width = 80;        ///< columns, at least 40
  bool unicode = false;  ///< block characters for bars; '#' otherwise
};

using Lines = std::vector<std::string>;

/// Characters that a UTF-8 text takes on screen, one for each code point.
std::size_t display_width(std::string_view text);

/// Breaks text at spaces into lines of at most `width` characters; a longer word stands alone. Every line begins with
/// `indent` spaces, later ones with `hanging` more.
Lines wrapped(std::string_view text, int width, int indent = 0, int hanging = 0);

/// A bar of `fraction` of `width` characters, fraction from 0 to 1; anything above 0 shows something in unicode.
std::string bar(double fraction, int width, bool unicode);

/// The lines with a newline after each.
std::string joined(const Lines& lines);

enum class Align : std::uint8_t { left, right, wrap };

/// A table under construction. Columns are as wide as their widest cell; a `wrap` column takes what the page leaves and
/// breaks its text.
class Table {
 public:
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns, int indent = 2) : columns_(std::move(columns)), indent_(indent) {}

  /// One cell for each column; missing ones at the end are empty.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// Headings, a rule, the rows; no spaces at line ends. Columns without any heading print neither.
  Lines lines(const Page& page) const;

 private:
  std::vector<int> widths(const Page& page) const;
  void append_row(Lines& lines, const std::vector<std::string>& cells, const std::vector<int>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  int indent_;
};

/// Appends `more` to `lines`.
void append(Lines& lines, const Lines& more);

}  // namespace waferline::report
