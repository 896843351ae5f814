#include "report/wafer_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/estimate_page.hpp"
#include "report/number.hpp"
#include "report/svg.hpp"

namespace waferline::report {
namespace {

using mapping::PlacedRegion;
using mapping::RegionUse;

constexpr double map_width = 300;

std::string layers_text(const PlacedRegion& placed) {
  if (placed.layer_count == 0) return std::string(mapping::name(placed.use));
  const std::int64_t last = placed.first_layer + placed.layer_count - 1;
  return last == placed.first_layer ? fmt::format("{}", last) : fmt::format("{}-{}", placed.first_layer, last);
}

/// Early layers light, late ones dark, so that the way of a token shows; embedding and head in colours of their own.
std::string fill_of(const PlacedRegion& placed, std::int64_t layers) {
  if (placed.use == RegionUse::embedding) return "class=\"region fill2\"";
  if (placed.use == RegionUse::head) return "class=\"region fill1\"";
  const double share = static_cast<double>(placed.first_layer) / static_cast<double>(std::max<std::int64_t>(1, layers));
  return fmt::format("class=\"region fill0\" fill-opacity=\"{:.2f}\"", 0.3 + 0.7 * share);
}

std::string region_svg(const PlacedRegion& placed, double scale, std::int64_t layers) {
  const Region& region = placed.region;
  const double x = static_cast<double>(region.col) * scale;
  const double y = static_cast<double>(region.row) * scale;
  const double w = static_cast<double>(region.extent.cols) * scale;
  const double h = static_cast<double>(region.extent.rows) * scale;
  std::string svg = fmt::format(
      R"(<rect {} x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}, {} x {} PEs at row {}, column {}</title></rect>)",
      fill_of(placed, layers), x, y, w, h,
      placed.layer_count > 0 ? "layers " + layers_text(placed) : layers_text(placed), region.extent.rows,
      region.extent.cols, region.row, region.col);
  const std::string label = layers_text(placed);
  if (w < 7.0 * static_cast<double>(label.size()) + 4 || h < 14) return svg;
  // On a plate of the page's own background, so that it reads on every shade.
  const double plate = 6.6 * static_cast<double>(label.size()) + 4;
  svg += fmt::format(R"(<rect class="plate" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="13" rx="2"/>)",
                     x + (w - plate) / 2, y + h / 2 - 7, plate);
  return svg + svg_text(x + w / 2, y + h / 2 + 3.5, label, "middle", "");
}

std::string one_wafer(const mapping::Placement& placement, std::int64_t wafer, Extent usable, std::int64_t layers) {
  const double scale = map_width / static_cast<double>(std::max<std::int64_t>(1, usable.cols));
  const double height = scale * static_cast<double>(usable.rows);
  std::string regions;
  std::int64_t count = 0;
  for (const PlacedRegion& placed : placement.regions) {
    if (placed.region.wafer != wafer) continue;
    regions += region_svg(placed, scale, layers) + "\n";
    ++count;
  }
  const ChartText text{fmt::format("wafer-{}", wafer), fmt::format("Map of wafer {}", wafer),
                       fmt::format("{} regions drawn to scale on {} rows and {} columns of PEs; the table of regions "
                                   "holds their places and layers.",
                                   count, usable.rows, usable.cols)};
  return fmt::format(
      "<figure><figcaption>Wafer {} of {}</figcaption>\n{}{}{}</svg></figure>\n", wafer + 1, placement.wafers,
      svg_open(text, map_width, height),
      fmt::format(R"(<rect class="wafer" x="0" y="0" width="{:.2f}" height="{:.2f}"/>)", map_width, height), regions);
}

}  // namespace

std::string wafer_map(const mapping::Placement& placement, Extent usable) {
  if (placement.regions.empty()) return {};
  std::int64_t layers = 0;
  for (const PlacedRegion& placed : placement.regions) {
    layers = std::max(layers, placed.first_layer + placed.layer_count);
  }
  std::string maps = fmt::format("<div class=\"maps{}\">\n", placement.wafers == 1  ? " one"
                                                             : placement.wafers > 8 ? " many"
                                                                                    : "");
  for (std::int64_t wafer = 0; wafer < placement.wafers; ++wafer) maps += one_wafer(placement, wafer, usable, layers);
  return maps + "</div>\n";
}

std::string region_table(const mapping::Placement& placement) {
  HtmlTable table{"Regions in the order in which a token visits them; wafers, rows and columns of PEs count from 0",
                  {"holds", "wafer", "row", "column", "rows", "columns"},
                  {},
                  {false, true, true, true, true, true},
                  placement.regions.size() > 12};
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    const PlacedRegion& placed = placement.regions[i];
    const std::string key = fmt::format("/wafer/regions/{}", i);
    const auto cell = [&](const char* name, std::int64_t value) { return shown(shown_count(key + name, value)); };
    std::string holds = layers_text(placed);
    if (placed.layer_count > 0) {
      const std::int64_t last = placed.first_layer + placed.layer_count - 1;
      holds = "layer " + cell("/layers/0", placed.first_layer);
      if (last > placed.first_layer) holds += " to " + cell("/layers/1", last);
    }
    table.rows.push_back({holds, cell("/wafer", placed.region.wafer), cell("/row", placed.region.row),
                          cell("/col", placed.region.col), cell("/rows", placed.region.extent.rows),
                          cell("/cols", placed.region.extent.cols)});
  }
  return table_html(table);
}

}  // namespace waferline::report
