#pragma once
// Pieces of a self-contained HTML page: escaped text, numbers that name their place in the JSON, tables, the frame.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waferline::report {

/// Text for element content and quoted attributes: the five special characters as entities; control characters and
/// bytes that are not UTF-8 as U+FFFD.
std::string escaped(std::string_view text);

/// A number as people read it, with the exact value and its JSON pointer (RFC 6901) in the document of the same run.
struct Shown {
  std::string key;
  double value = 0;
  std::string text;
};

/// ` data-key="..." data-value="..."`, the value with as many digits as bring it back.
std::string data_attributes(const Shown& number);

/// `<data>` element with those attributes.
std::string shown(const Shown& number);

/// A text that the document of the same run holds too, with its JSON pointer. Without one it is the page's own words.
struct Quoted {
  std::string key;
  std::string text;
};

/// ` data-text="..."`, or nothing without a pointer.
std::string text_attribute(const Quoted& text);

/// `<span>` element with it; the escaped text alone without a pointer.
std::string quoted(const Quoted& text);

/// One step of a JSON pointer: `~` and `/` of a name replaced as RFC 6901 says.
std::string pointer_step(std::string_view name);

/// A table; headings and cells are markup, already escaped. The first column holds the row's heading.
struct HtmlTable {
  std::string caption;  ///< text
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numeric;  ///< by column: right-aligned; missing ones are not
  bool tall = false;          ///< scrolls by itself where it would fill more than a screen
  bool prose = false;         ///< cells hold sentences: one under the other where there is no room beside each other
};

/// The table in a frame that scrolls sideways by itself, reachable with the keyboard.
std::string table_html(const HtmlTable& table);

/// `<section>` with a heading that names it; `id` is letters and dashes, `body` markup.
std::string section_html(std::string_view id, std::string_view heading, std::string_view body);

/// A paragraph of escaped text.
std::string paragraph_html(std::string_view text);
/// A list of items that are markup; nothing for no items.
std::string list_html(const std::vector<std::string>& items);
/// A drawing with its caption, which is text; nothing for an empty drawing.
std::string figure_html(std::string_view caption, const std::string& svg);
/// Two blocks beside each other where there is room.
std::string pair_html(const std::string& left, const std::string& right);

struct HtmlPage {
  std::string title;
  std::string heading;  ///< markup that says the title; empty: the title itself
  std::string lead;     ///< markup under the heading: the answer
  std::string body;     ///< sections
  std::string command;  ///< that made the page
};

/// The whole document. It holds no script and its policy forbids every request.
std::string page_html(const HtmlPage& page);

}  // namespace waferline::report
