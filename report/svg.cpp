#include "report/svg.hpp"

#include <fmt/format.h>

namespace waferline::report {

std::string svg_open(const ChartText& text, double width, double height) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:g} {1:g}\" role=\"img\" aria-labelledby=\"{2}-title {2}-desc\">"
      "<title id=\"{2}-title\">{3}</title><desc id=\"{2}-desc\">{4}</desc>\n",
      width, height, escaped(text.id), escaped(text.title), escaped(text.description));
}

std::string svg_text(double x, double y, const std::string& text, const char* anchor, const std::string& attributes) {
  return fmt::format(R"(<text x="{:.2f}" y="{:.2f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, attributes,
                     escaped(text));
}

std::string svg_line(const char* style, double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line class="{}" x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}"/>)", style, x1, y1, x2, y2);
}

}  // namespace waferline::report
