#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/svg.hpp"
#include "report/number.hpp"
#include "report/placement/placement.hpp"

namespace waferline::report {
namespace {

using mapping::PlacedRegion;
using mapping::RegionUse;

constexpr double kGap = 28;
constexpr double kHeading = 44;
constexpr double kLegend = 40;

// Colours that stay apart for every kind of colour blindness, on white.
constexpr const char* kStyle =
    "<style>text{font:12px sans-serif;fill:#1a1a1a}.small{font-size:10px}.wafer{fill:#f2f2f0;stroke:#777}"
    ".region{stroke:#fff;stroke-width:1}.kv{fill:#d55e00}.bad{fill:#000}.axis{stroke:#999;stroke-width:1}"
    ".grid{stroke:#e2e2e2;stroke-width:1}</style>";

std::string holds(const PlacedRegion& placed) {
  if (placed.layer_count == 0) return std::string(name(placed.use));
  const std::int64_t last = placed.first_layer + placed.layer_count - 1;
  return last == placed.first_layer ? fmt::format("{}", last) : fmt::format("{}-{}", placed.first_layer, last);
}

/// From light to dark blue by depth; head and embedding in colours of their own.
std::string fill(const PlacedRegion& placed, std::int64_t layers) {
  if (placed.use == RegionUse::embedding) return "#b5cf6b";
  if (placed.use == RegionUse::head) return "#e6ab02";
  const double share = static_cast<double>(placed.first_layer) / static_cast<double>(std::max<std::int64_t>(1, layers));
  const auto mix = [&](double from, double to) { return static_cast<int>(from + (to - from) * share + 0.5); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(198, 33), mix(219, 84), mix(239, 148));
}

std::string open_document(double width, double height, const std::string& title, const std::string& description) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.1f} {1:.1f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">{2}</title>\n<desc id=\"description\">"
      "{3}</desc>\n{4}\n<rect width=\"{0:.1f}\" height=\"{1:.1f}\" fill=\"#fff\"/>\n",
      width, height, escaped(title), escaped(description), kStyle);
}

std::string text(double x, double y, const std::string& content, const char* anchor = "start", const char* style = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, style,
                     escaped(content));
}

class WaferDrawing {
 public:
  WaferDrawing(const PlacementAnswer& answer, double scale) : answer_(answer), scale_(scale) {
    for (const PlacedRegion& placed : answer.decode.placement.regions) {
      layers_ = std::max(layers_, placed.first_layer + placed.layer_count);
    }
  }

  std::string draw(std::int64_t wafer, double left, double top) const {
    const Extent usable = answer_.wafer.usable();
    std::string svg = text(left, top - 6, fmt::format("wafer {}", wafer));
    svg += rectangle("class=\"wafer\"", left, top, {0, 0, 0, usable}, "");
    for (std::size_t i = 0; i < answer_.decode.placement.regions.size(); ++i) {
      const PlacedRegion& placed = answer_.decode.placement.regions[i];
      if (placed.region.wafer == wafer) svg += region(placed, i, left, top);
    }
    return svg + defects(left, top);
  }

 private:
  std::string rectangle(const std::string& attributes, double left, double top, const Region& region,
                        const std::string& content) const {
    return fmt::format("<rect {} x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">{}</rect>\n", attributes,
                       left + static_cast<double>(region.col) * scale_, top + static_cast<double>(region.row) * scale_,
                       static_cast<double>(region.extent.cols) * scale_,
                       static_cast<double>(region.extent.rows) * scale_, content);
  }

  std::string region(const PlacedRegion& placed, std::size_t index, double left, double top) const {
    const mapping::SramUse& use = placed.sram;
    const Region& place = placed.region;
    const std::string title = fmt::format(
        "<title>{} {}: {} x {} PEs at row {}, column {}; {} a pass; of {} B a PE: weights {}, caches {}, buffers {}, "
        "code "
        "{}, free {}</title>",
        placed.use == RegionUse::layers ? "layers" : "the", holds(placed), place.extent.rows, place.extent.cols,
        place.row, place.col, seconds_text(answer_.decode.stages[index].time), count_text(use.capacity.value),
        count_text(use.weights.value), count_text(use.kv.value), count_text(use.buffers.value),
        count_text((use.code + use.system).value), count_text(use.free().value));
    std::string svg =
        rectangle(fmt::format("class=\"region\" fill=\"{}\"", fill(placed, layers_)), left, top, place, title);
    const double x = left + static_cast<double>(place.col) * scale_;
    const double y = top + static_cast<double>(place.row) * scale_;
    const double w = static_cast<double>(place.extent.cols) * scale_;
    const double h = static_cast<double>(place.extent.rows) * scale_;
    // A bar along the lower edge: the share of what is left for caches that the cached tokens take.
    const double room = static_cast<double>((use.kv + use.free()).value);
    if (use.kv.value > 0 && h > 6 && w > 6) {
      svg += fmt::format("<rect class=\"kv\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"3\"/>\n", x + 1,
                         y + h - 4, (w - 2) * static_cast<double>(use.kv.value) / room);
    }
    const std::string label = holds(placed);
    if (w < text_width(label) + 4 || h < 18) return svg;
    const bool dark = placed.use == RegionUse::layers && 2 * placed.first_layer > layers_;
    return svg + text(x + w / 2, y + h / 2 + 4, label, "middle", dark ? " style=\"fill:#fff\"" : "");
  }

  std::string defects(double left, double top) const {
    const Defects& bad = answer_.wafer.defects;
    const Extent usable = answer_.wafer.usable();
    std::string svg;
    const auto mark = [&](const Region& where, const std::string& what) {
      svg += rectangle("class=\"bad\"", left, top, where, "<title>" + what + "</title>");
    };
    for (const std::int64_t row : bad.rows) mark({0, row, 0, {1, usable.cols}}, fmt::format("defective row {}", row));
    for (const std::int64_t col : bad.cols)
      mark({0, 0, col, {usable.rows, 1}}, fmt::format("defective column {}", col));
    for (const PePosition& pe : bad.pes) {
      mark({0, pe.row, pe.col, {1, 1}}, fmt::format("defective PE in row {}, column {}", pe.row, pe.col));
    }
    return svg;
  }

  const PlacementAnswer& answer_;
  double scale_;
  std::int64_t layers_ = 0;
};

std::string legend(double top) {
  std::string svg;
  double x = 12;
  const auto entry = [&](const std::string& mark, const std::string& what) {
    svg +=
        fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", x, top, mark) + text(x + 18, top + 10, what);
    x += 18 + text_width(what) + 16;
  };
  const auto square = [](const char* color) {
    return fmt::format("<rect width=\"12\" height=\"12\" fill=\"{}\"/>", color);
  };
  entry(square("#c6dbef"), "first layers");
  entry(square("#215494"), "last layers");
  entry(square("#b5cf6b"), "embedding");
  entry(square("#e6ab02"), "head");
  entry("<rect y=\"5\" width=\"12\" height=\"3\" fill=\"#d55e00\"/>", "share of the room for caches in use");
  return svg;
}

}  // namespace

std::string placement_svg(const PlacementAnswer& answer) {
  const mapping::Placement& placement = answer.decode.placement;
  const Extent usable = answer.wafer.usable();
  const std::int64_t beside = placement.wafers <= 4 ? placement.wafers : placement.wafers <= 24 ? 6 : 10;
  const double wafer_width = placement.wafers == 1    ? 560
                             : placement.wafers <= 4  ? 280
                             : placement.wafers <= 24 ? 190
                                                      : 130;
  const double scale = wafer_width / static_cast<double>(usable.cols);
  const double wafer_height = scale * static_cast<double>(usable.rows);
  const std::int64_t lines = ceil_div(placement.wafers, beside);
  const double width = std::max(640.0, 12 + static_cast<double>(beside) * (wafer_width + kGap));
  const double height = kHeading + kLegend + static_cast<double>(lines) * (wafer_height + kGap);
  const std::string title = fmt::format("{} on {} wafers of {}", answer.model, placement.wafers, answer.decode.system);
  std::string svg = open_document(
      width, height, title,
      "Regions of PEs drawn to scale on the usable rectangle of each wafer, labelled with the layers that they hold.");
  svg += text(
      12, 22,
      fmt::format("{}, {} cached tokens: {} tokens/s per user", title, count_text(answer.decode.request.context_tokens),
                  rate_text(answer.decode.tokens_per_s.expected)));
  svg += legend(32);
  const WaferDrawing drawing(answer, scale);
  for (std::int64_t w = 0; w < placement.wafers; ++w) {
    const double left = 12 + static_cast<double>(w % beside) * (wafer_width + kGap);
    const double top = kHeading + kLegend - 12 + static_cast<double>(w / beside) * (wafer_height + kGap);
    svg += drawing.draw(w, left, top);
  }
  return svg + "</svg>\n";
}

}  // namespace waferline::report
