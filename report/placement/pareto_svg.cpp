#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "report/html/svg.hpp"
#include "report/number.hpp"
#include "report/placement/placement.hpp"

namespace waferline::report {
namespace {

using estimate::ParetoPoint;
using mapping::Objective;

constexpr double kWidth = 420;
constexpr double kHeight = 300;
constexpr double kLeft = 70;
constexpr double kTop = 80;
constexpr double kBetween = 90;

/// Shape and colour both tell the objectives apart.
std::string mark(Objective objective, double x, double y, const std::string& title) {
  switch (objective) {
    case Objective::throughput:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\" fill=\"#d55e00\">{}</rect>\n",
                         x - 4.5, y - 4.5, title);
    case Objective::users:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l6 10h-12z\" fill=\"#009e73\">{}</path>\n", x, y - 6, title);
    case Objective::latency:
    case Objective::wafers:
      break;
  }
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"#0072b2\">{}</circle>\n", x, y, title);
}

std::string label(double x, double y, const std::string& content, const char* anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(content));
}

/// One plot of the front against the time of a token, both axes logarithmic where they span much.
class Plot {
 public:
  using Value = std::function<double(const ParetoPoint&)>;

  Plot(const std::vector<ParetoPoint>& front, double left, std::string title, Value value)
      : front_(front), left_(left), title_(std::move(title)), value_(std::move(value)) {
    x_ = scale([](const ParetoPoint& p) { return p.tpot.value * 1e6; }, left_, left_ + kWidth);
    y_ = scale(value_, kTop + kHeight, kTop);
  }

  std::string draw() const {
    std::string svg = label(left_, kTop - 12, title_, "start");
    for (const double tick : ticks(x_)) {
      const double x = x_.at(tick);
      svg += line("grid", x, kTop, x, kTop + kHeight) + label(x, kTop + kHeight + 16, tick_text(tick), "middle");
    }
    for (const double tick : ticks(y_)) {
      const double y = y_.at(tick);
      svg += line("grid", left_, y, left_ + kWidth, y) + label(left_ - 6, y + 4, tick_text(tick), "end");
    }
    svg += line("axis", left_, kTop + kHeight, left_ + kWidth, kTop + kHeight) +
           line("axis", left_, kTop, left_, kTop + kHeight);
    svg += label(left_ + kWidth / 2, kTop + kHeight + 34, "time per token, us", "middle");
    for (const ParetoPoint& point : front_) {
      const double x = x_.at(point.tpot.value * 1e6);
      const double y = y_.at(value_(point));
      const std::string title =
          fmt::format("<title>{} wafers, found under {}: {} a token, {} tokens/s over all users, {} users</title>",
                      point.wafers, name(point.objective), seconds_text(point.tpot),
                      rate_text(point.pipelined_tokens_per_s), count_text(point.max_users));
      svg += mark(point.objective, x, y, title);
      svg += label(x + 8, y - 6, fmt::format("{}", point.wafers), "start");
    }
    return svg;
  }

 private:
  Scale scale(const Value& value, double from, double to) const {
    double low = value(front_.front());
    double high = low;
    for (const ParetoPoint& point : front_) {
      low = std::min(low, value(point));
      high = std::max(high, value(point));
    }
    const bool logarithmic = low > 0 && high > 8 * low;
    const double margin = logarithmic ? 1.2 : 1.05;
    return {low / margin, high * margin, from, to, logarithmic};
  }
  static std::vector<double> ticks(const Scale& scale) {
    return scale.logarithmic ? logarithmic_ticks(scale.low, scale.high, 7) : linear_ticks(scale.low, scale.high, 7);
  }
  static std::string line(const char* style, double x1, double y1, double x2, double y2) {
    return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1, y1,
                       x2, y2);
  }

  const std::vector<ParetoPoint>& front_;
  double left_;
  std::string title_;
  Value value_;
  Scale x_;
  Scale y_;
};

std::string legend() {
  std::string svg;
  double x = kLeft;
  for (const Objective objective : {Objective::latency, Objective::throughput, Objective::users}) {
    const std::string what = fmt::format("found under {}", name(objective));
    svg += mark(objective, x + 4, 36, "") + label(x + 14, 40, what, "start");
    x += text_width(what) + 36;
  }
  return svg + label(x, 40, "numbers: wafers", "start");
}

}  // namespace

std::string pareto_svg(const PlacementAnswer& answer) {
  assert(!answer.front.empty() && "there is always a placement on the front");
  const double width = 2 * (kLeft + kWidth) + kBetween / 2;
  const double height = kTop + kHeight + 50;
  const std::string title =
      fmt::format("{} on {}: placements that no other betters", answer.model, answer.decode.system);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">{2}</title>\n<desc "
      "id=\"description\">Users that "
      "fit, and tokens per second over all users, against the time of a token.</desc>\n<style>text{{font:12px "
      "sans-serif;fill:#1a1a1a}}.axis{{stroke:#999}}.grid{{stroke:#e2e2e2}}</style>\n<rect width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "fill=\"#fff\"/>\n",
      width, height, escaped(title));
  svg += label(kLeft, 20, title, "start") + legend();
  svg += Plot(answer.front, kLeft, "users that fit", [](const ParetoPoint& p) {
           return static_cast<double>(p.max_users);
         }).draw();
  svg += Plot(answer.front, 2 * kLeft + kWidth, "tokens/s over all users", [](const ParetoPoint& p) {
           return p.pipelined_tokens_per_s;
         }).draw();
  return svg + "</svg>\n";
}

}  // namespace waferline::report
