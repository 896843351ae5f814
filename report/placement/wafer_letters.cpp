#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/placement/placement.hpp"

namespace waferline::report {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr int kWidest = 24;
constexpr std::int64_t kMostWafers = 8;

/// Characters of one wafer's drawing; a character stands for more PEs down than across, as it is higher than wide.
struct Size {
  int width = 0;
  int height = 0;
};

Size size_of(Extent usable, const Page& page) {
  const auto cols = static_cast<int>(std::min<std::int64_t>(usable.cols, 1 << 20));
  const int width = std::clamp(std::min(cols, kWidest), 1, std::max(10, page.width - 4));
  const double rows = static_cast<double>(usable.rows) / static_cast<double>(usable.cols);
  return {width, std::clamp(static_cast<int>(rows * width / 2 + 0.5), 1, 40)};
}

class Drawing {
 public:
  Drawing(const mapping::Placement& placement, const Wafer& wafer, Size size)
      : placement_(placement), wafer_(wafer), size_(size) {}

  /// One line of one wafer.
  std::string line(std::int64_t wafer, int y) const {
    std::string text;
    for (int x = 0; x < size_.width; ++x)
      text += letter(wafer, span(y, size_.height, wafer_.usable().rows), span(x, size_.width, wafer_.usable().cols));
    return text;
  }

 private:
  /// PEs that a character stands for.
  struct Span {
    std::int64_t first = 0;
    std::int64_t end = 0;
    bool holds(std::int64_t pe) const { return first <= pe && pe < end; }
    std::int64_t middle() const { return (first + end) / 2; }
  };
  static Span span(int at, int of, std::int64_t all) {
    const std::int64_t first = all * at / of;
    return {first, std::max(first + 1, all * (at + 1) / of)};
  }

  char letter(std::int64_t wafer, Span rows, Span cols) const {
    const Defects& defects = wafer_.defects;
    const auto in = [](const Span& span) { return [span](std::int64_t pe) { return span.holds(pe); }; };
    if (std::any_of(defects.rows.begin(), defects.rows.end(), in(rows)) ||
        std::any_of(defects.cols.begin(), defects.cols.end(), in(cols)) ||
        std::any_of(defects.pes.begin(), defects.pes.end(),
                    [&](const PePosition& pe) { return rows.holds(pe.row) && cols.holds(pe.col); })) {
      return 'x';
    }
    for (std::size_t i = 0; i < placement_.regions.size(); ++i) {
      if (overlap(placement_.regions[i].region, {wafer, rows.middle(), cols.middle(), {1, 1}})) {
        return kLetters[i % kLetters.size()];
      }
    }
    return '.';
  }

  const mapping::Placement& placement_;
  const Wafer& wafer_;
  Size size_;
};

}  // namespace

Lines wafer_letters(const mapping::Placement& placement, const Wafer& wafer, const Page& page) {
  const Size size = size_of(wafer.usable(), page);
  const int beside = std::max(1, (page.width - 2) / (size.width + 2));
  const std::int64_t shown = std::min(placement.wafers, kMostWafers);
  const Drawing drawing(placement, wafer, size);
  Lines lines;
  for (std::int64_t first = 0; first < shown; first += beside) {
    const std::int64_t end = std::min(shown, first + beside);
    if (first > 0) lines.emplace_back();
    std::string heading;
    for (std::int64_t w = first; w < end; ++w)
      heading += fmt::format("  {:<{}}", fmt::format("wafer {}", w), size.width);
    lines.push_back(heading.substr(0, heading.find_last_not_of(' ') + 1));
    for (int y = 0; y < size.height; ++y) {
      std::string line;
      for (std::int64_t w = first; w < end; ++w) line += "  " + drawing.line(w, y);
      lines.push_back(line);
    }
  }
  if (placement.wafers > shown) lines.push_back(fmt::format("  and {} wafers more", placement.wafers - shown));
  return lines;
}

}  // namespace waferline::report
