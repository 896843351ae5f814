#include "report/html/wafer_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/estimate_page.hpp"
#include "report/html/svg.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using mapping::PlacedRegion;
using mapping::RegionUse;

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

/// How large the maps are drawn, in the units of their labels.
struct MapSize {
  const char* style;
  double width;
};

MapSize map_size(std::int64_t wafers) {
  if (wafers == 1) return {"maps one", 320};
  if (wafers <= 8) return {"maps", 240};
  return wafers <= 24 ? MapSize{"maps many", 150} : MapSize{"maps most", 76};
}

std::string label_svg(const PlacedRegion& placed, double x, double y) {
  const std::string label = layers_text(placed);
  // On a plate of the page's own background, so that it reads on every shade.
  const double plate = text_width(label) + 2;
  return fmt::format(R"(<rect class="plate" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="14" rx="2"/>)", x - plate / 2,
                     y - 7, plate) +
         svg_text(x, y + 4, label, "middle", "");
}

std::string region_svg(const PlacedRegion& placed, std::size_t index, double scale, std::int64_t layers) {
  const Region& region = placed.region;
  const double x = static_cast<double>(region.col) * scale;
  const double y = static_cast<double>(region.row) * scale;
  const double w = static_cast<double>(region.extent.cols) * scale;
  const double h = static_cast<double>(region.extent.rows) * scale;
  const std::string pointer = fmt::format(" data-region=\"/wafer/regions/{}\"", index);
  const std::string holds = placed.layer_count > 0 ? "layers " + layers_text(placed) : layers_text(placed);
  std::string svg = fmt::format(
      R"(<rect {}{} x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}, {} x {} PEs at row {}, column {}</title></rect>)",
      fill_of(placed, layers), pointer, x, y, w, h, holds, region.extent.rows, region.extent.cols, region.row,
      region.col);
  if (w < text_width(layers_text(placed)) + 4 || h < 15) return svg;
  return svg +
         fmt::format("<g data-label=\"/wafer/regions/{}\">{}</g>", index, label_svg(placed, x + w / 2, y + h / 2));
}

std::string one_wafer(const mapping::Placement& placement, std::int64_t wafer, Extent usable, std::int64_t layers) {
  const double width = map_size(placement.wafers).width;
  const double scale = width / static_cast<double>(std::max<std::int64_t>(1, usable.cols));
  const double height = scale * static_cast<double>(usable.rows);
  std::string regions;
  std::string name = "The wafer";
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    const PlacedRegion& placed = placement.regions[i];
    if (placed.region.wafer != wafer) continue;
    if (placement.wafers > 1) {
      name = "Wafer " +
             shown({fmt::format("/wafer/regions/{}/wafer", i), static_cast<double>(wafer), fmt::format("{}", wafer)});
    }
    regions += region_svg(placed, i, scale, layers) + "\n";
  }
  const ChartText text{fmt::format("wafer-{}", wafer), fmt::format("Map of wafer {}", wafer),
                       "Regions drawn to scale on the usable PEs; the table of regions holds their places and layers."};
  return fmt::format(
      "<figure><figcaption>{}</figcaption>\n{}{}{}</svg></figure>\n", name, svg_open(text, width, height, ""),
      fmt::format(R"(<rect class="wafer" x="0" y="0" width="{:.2f}" height="{:.2f}"/>)", width, height), regions);
}

}  // namespace

std::string wafer_map(const mapping::Placement& placement, Extent usable) {
  if (placement.regions.empty()) return {};
  std::int64_t layers = 0;
  for (const PlacedRegion& placed : placement.regions) {
    layers = std::max(layers, placed.first_layer + placed.layer_count);
  }
  std::string maps = fmt::format("<div class=\"{}\">\n", map_size(placement.wafers).style);
  for (std::int64_t wafer = 0; wafer < placement.wafers; ++wafer) maps += one_wafer(placement, wafer, usable, layers);
  return maps + "</div>\n";
}

std::string region_table(const mapping::Placement& placement) {
  HtmlTable table{"Regions in the order in which a token visits them; wafers, rows and columns of PEs count from zero",
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
