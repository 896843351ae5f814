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

/// One step of a JSON pointer: `~` and `/` of a name replaced as RFC 6901 says.
std::string pointer_step(std::string_view name);

/// A table; cells are markup, already escaped. The first column holds the row's heading.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numeric;  ///< by column: right-aligned; missing ones are not
  bool tall = false;          ///< scrolls by itself where it would fill more than a screen
};

/// The table in a frame that scrolls sideways by itself, reachable with the keyboard.
std::string table_html(const HtmlTable& table);

/// `<section>` with a heading that names it; `id` is letters and dashes, `body` markup.
std::string section_html(std::string_view id, std::string_view heading, std::string_view body);

/// A paragraph or a list of escaped texts; nothing for an empty list.
std::string paragraph_html(std::string_view text);
std::string list_html(const std::vector<std::string>& texts);

struct HtmlPage {
  std::string title;
  std::string lead;     ///< markup under the title: the answer
  std::string body;     ///< sections
  std::string command;  ///< that made the page
};

/// The whole document. It holds no script and its policy forbids every request.
std::string page_html(const HtmlPage& page);

}  // namespace waferline::report
