#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/calibration.hpp"
#include "report/constants.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

constexpr std::size_t worst_rows_shown = 5;

std::string value_text(double value, const std::string& unit) {
  if (unit == "s") return seconds_text(Seconds{value});
  return unit.empty() ? significant(value, 4) : fmt::format("{} {}", significant(value, 4), unit);
}

Lines constant_table(const std::vector<Constant>& constants, const Page& page) {
  Table table({{"constant"}, {"value", Align::right}, {"band", Align::right}, {"known from", Align::wrap}});
  for (const Constant& constant : constants) {
    const bool band = constant.low != constant.high;
    const std::string band_text =
        constant.unit == "s" ? fmt::format("{} to {}", value_text(constant.low, "s"), value_text(constant.high, "s"))
                             : fmt::format("{} to {}", significant(constant.low, 4), significant(constant.high, 4));
    table.add({constant.name, value_text(constant.value, constant.unit), band ? band_text : "",
               describe(constant.provenance)});
  }
  return table.lines(page);
}

void append_optional(Table& table, const char* what, const std::optional<double>& percent) {
  if (percent) table.add({what, fmt::format("{:.2f} %", *percent)});
}

Lines fit_lines(const FitRecord& fit, const Page& page) {
  Lines lines;
  append(lines, wrapped(fmt::format("Fitted {} constants on {} rows of class {} in {}.", fit.constants, fit.points,
                                    fit.fit_class, fit.data),
                        page.width, 0, 2));
  lines.emplace_back();
  Table table({{""}, {"", Align::right}});
  table.add({"mean error", fmt::format("{:.2f} %", fit.mean_abs_error_pct)});
  table.add({"worst error", fmt::format("{:.2f} %", fit.worst_abs_error_pct)});
  append_optional(table, "mean error on rows left out", fit.held_out_mean_abs_error_pct);
  append_optional(table, "worst error on rows left out", fit.held_out_worst_abs_error_pct);
  append_optional(table, "mean error of the bandwidth bound", fit.bound_mean_abs_error_pct);
  append(lines, table.lines(page));
  if (fit.residuals.empty()) return lines;

  std::vector<FitResidual> worst = fit.residuals;
  std::stable_sort(worst.begin(), worst.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.error_pct) > std::abs(b.error_pct); });
  worst.resize(std::min(worst.size(), worst_rows_shown));
  lines.emplace_back();
  Table rows({{"worst rows", Align::wrap}, {"error", Align::right}});
  for (const FitResidual& residual : worst) rows.add({residual.id, signed_percent(residual.error_pct)});
  append(lines, rows.lines(page));
  return lines;
}

Lines calibration(const std::string& name, const std::vector<Constant>& constants, const FitRecord* fit,
                  const Page& page) {
  Lines lines{fmt::format("Profile {}", name)};
  append(lines, constant_table(constants, page));
  if (fit != nullptr) {
    lines.emplace_back();
    append(lines, fit_lines(*fit, page));
  }
  return lines;
}

}  // namespace

Lines calibration_text(const SoftwareProfile& profile, const Page& page) {
  return calibration(profile.name, constants_of(profile), profile.fit ? &*profile.fit : nullptr, page);
}

Lines calibration_text(const GpuEngine& engine, const Page& page) {
  return calibration(engine.name, constants_of(engine), &engine.fit, page);
}

}  // namespace waferline::report
