#include "report/html/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace waferline::report {
namespace {

constexpr double font_size = 12;

std::size_t sequence_length(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  while (at + length < text.size() && (static_cast<unsigned char>(text[at + length]) & 0xc0) == 0x80) ++length;
  return length;
}

/// Width of one character in DejaVu Sans, the widest of the fonts that the page names, rounded up.
double character_width(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  double share = 0.65;
  if (lead >= 0xe1) {
    share = 1.3;  // East Asian scripts, symbols
  } else if (lead >= 0x80 || (lead >= 'A' && lead <= 'Z') || lead == '+' || lead == '<' || lead == '>' || lead == '=') {
    share = 0.84;
  } else if (std::string_view("il.,:;'!I |j()[]").find(character[0]) != std::string_view::npos) {
    share = 0.4;
  } else if (std::string_view("mMwW@%&").find(character[0]) != std::string_view::npos) {
    share = 1.0;
  }
  return share * font_size;
}

}  // namespace

std::string svg_open(const ChartText& text, double width, double height, const std::string& attributes) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:g} {1:g}\" role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{5}>"
      "<title id=\"{2}-title\">{3}</title><desc id=\"{2}-desc\">{4}</desc>\n",
      width, height, escaped(text.id), escaped(text.title), escaped(text.description), attributes);
}

std::string svg_text(double x, double y, const std::string& content, const char* anchor,
                     const std::string& attributes) {
  return fmt::format(R"(<text x="{:.2f}" y="{:.2f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, attributes, content);
}

std::string svg_line(const char* style, double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line class="{}" x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}"/>)", style, x1, y1, x2, y2);
}

std::string horizontal_ticks(const Scale& scale, const std::vector<double>& ticks, double top, double bottom) {
  std::string svg;
  double free_from = 0;  // where the last tick's number ends
  for (const double tick : ticks) {
    const double x = scale.at(tick);
    const std::string text = tick_text(tick);
    const double half = text_width(text) / 2;
    // At the ends a number moves in, so that it stays within the drawing.
    const double from = std::clamp(x - half, 0.0, chart_width - 2 * half);
    svg += svg_line("grid", x, top, x, bottom);
    if (from < free_from) continue;
    svg += svg_text(from + half, bottom + 14, text, "middle", fmt::format(R"( class="soft tick" data-x="{:.2f}")", x));
    free_from = from + 2 * half;
  }
  return svg + "\n";
}

double text_width(std::string_view text) {
  double width = 0;
  for (std::size_t at = 0; at < text.size(); at += sequence_length(text, at)) width += character_width(text.substr(at));
  return width;
}

std::vector<std::string> wrapped(std::string_view text, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = 0;
    std::size_t after_space = 0;
    for (double used = 0; end < text.size(); end += sequence_length(text, end)) {
      used += character_width(text.substr(end));
      if (used > width && end > 0) break;
      if (text[end] == ' ') after_space = end + 1;
    }
    if (end < text.size() && after_space > 0) end = after_space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

WrappedLabel::WrappedLabel(const Quoted& name, const std::string& label, double width)
    : name_(name), label_(label), lines_(wrapped(name.text, std::max(width / 2, width - text_width(label)))) {
  if (lines_.empty()) lines_.emplace_back();
}

std::string WrappedLabel::markup(double left) const {
  std::string content = escaped(lines_.front());
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    content += fmt::format(R"(<tspan x="{:.2f}" dy="{:g}">{}</tspan>)", left, line_height, escaped(lines_[i]));
  }
  const std::string attribute = text_attribute(name_);
  if (!attribute.empty()) content = fmt::format("<tspan{}>{}</tspan>", attribute, content);
  return content + escaped(label_);
}

}  // namespace waferline::report
