#include "report/html/markup.hpp"

#include <fmt/format.h>

#include "report/html/style.hpp"
#include "report/version.hpp"

namespace waferline::report {
namespace {

constexpr const char* replacement = "\xef\xbf\xbd";

/// Bytes of the UTF-8 sequence at `at`; 0 if it is none (overlong, surrogate or beyond U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool outside = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// Long keys may break after an underscore.
std::string breakable(const std::string& markup) {
  std::string text;
  for (const char c : markup) {
    text += c;
    if (c == '_') text += "<wbr>";
  }
  return text;
}

const char* class_of(const HtmlTable& table, std::size_t column) {
  return column < table.numeric.size() && table.numeric[column] ? " class=\"number\"" : "";
}

/// Browsers forget what a table is once its rows are laid out as blocks, so tables of prose say it.
std::string role(const HtmlTable& table, const char* name) {
  return table.prose ? fmt::format(" role=\"{}\"", name) : std::string{};
}

std::string table_head(const HtmlTable& table) {
  std::string text = fmt::format("<thead{}><tr{}>", role(table, "rowgroup"), role(table, "row"));
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    text += fmt::format("<th scope=\"col\"{}{}>{}</th>", role(table, "columnheader"), class_of(table, i),
                        table.headings[i]);
  }
  return text + "</tr></thead>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    const std::string_view special = entity(text[at]);
    if (length == 0 || control) {
      result += replacement;
    } else if (!special.empty()) {
      result += special;
    } else {
      result += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return result;
}

std::string pointer_step(std::string_view name) {
  std::string step = "/";
  for (const char c : name) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

std::string data_attributes(const Shown& number) {
  return fmt::format(R"( data-key="{}" data-value="{}")", escaped(number.key), number.value);
}

std::string shown(const Shown& number) {
  return fmt::format(R"(<data value="{}"{}>{}</data>)", number.value, data_attributes(number), escaped(number.text));
}

std::string text_attribute(const Quoted& text) {
  return text.key.empty() ? std::string{} : fmt::format(R"( data-text="{}")", escaped(text.key));
}

std::string quoted(const Quoted& text) {
  if (text.key.empty()) return escaped(text.text);
  return fmt::format("<span{}>{}</span>", text_attribute(text), breakable(escaped(text.text)));
}

std::string table_html(const HtmlTable& table) {
  std::string text = fmt::format(
      "<div class=\"scroll{1}\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{0}\"><table{2}{3}><caption>{0}</caption>\n{4}<tbody{5}>\n",
      escaped(table.caption), table.tall ? " tall" : "", table.prose ? " class=\"prose\"" : "", role(table, "table"),
      table_head(table), role(table, "rowgroup"));
  for (const std::vector<std::string>& row : table.rows) {
    text += fmt::format("<tr{}>", role(table, "row"));
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0
                  ? fmt::format("<th scope=\"row\"{}{}>{}</th>", role(table, "rowheader"), class_of(table, i), row[i])
                  : fmt::format("<td{}{}>{}</td>", role(table, "cell"), class_of(table, i), row[i]);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string section_html(std::string_view id, std::string_view heading, std::string_view body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 id=\"{0}-heading\">{1}</h2>\n{2}</section>\n", id,
      escaped(heading), body);
}

std::string paragraph_html(std::string_view text) {
  return fmt::format("<p>{}</p>\n", escaped(text));
}

std::string list_html(const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string list = "<ul>\n";
  for (const std::string& item : items) list += fmt::format("<li>{}</li>\n", item);
  return list + "</ul>\n";
}

std::string figure_html(std::string_view caption, const std::string& svg) {
  if (svg.empty()) return {};
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n", escaped(caption), svg);
}

std::string pair_html(const std::string& left, const std::string& right) {
  return "<div class=\"pair\">\n<div>\n" + left + "</div>\n<div>\n" + right + "</div>\n</div>\n";
}

std::string page_html(const HtmlPage& page) {
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  text += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  text += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  text +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n";
  text += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", escaped(page.title), page_style);
  text += "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>\n";
  text += fmt::format("<main>\n<header id=\"answer\">\n<h1>{}</h1>\n{}</header>\n{}</main>\n",
                      page.heading.empty() ? escaped(page.title) : page.heading, page.lead, page.body);
  text += fmt::format(
      "<footer>\n<h2>How this page was made</h2>\n<pre tabindex=\"0\"><code>{}</code></pre>\n"
      "<p>Waferline <span data-text=\"/tool/version\">{}</span>. The same command with <code>--json FILE</code> writes "
      "every number of this "
      "page unrounded.</p>\n</footer>\n</body>\n</html>\n",
      escaped(page.command), escaped(version()));
  return text;
}

}  // namespace waferline::report
