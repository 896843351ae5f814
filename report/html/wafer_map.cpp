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

/// Drawn rectangle, in the units of labels.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

Box box_of(const Region& region, double scale) {
  return {static_cast<double>(region.col) * scale, static_cast<double>(region.row) * scale,
          static_cast<double>(region.extent.cols) * scale, static_cast<double>(region.extent.rows) * scale};
}

std::string place_attributes(const Box& box) {
  return fmt::format(R"(x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}")", box.x, box.y, box.width, box.height);
}

/// Along the lower edge, on a plate: the share of the room for caches that the cached tokens take.
std::string cache_bar(const mapping::SramUse& use, const Box& region, const std::string& pointer) {
  const double room = static_cast<double>((use.kv + use.free()).value);
  if (use.kv.value == 0 || region.height < 12 || region.width < 8) return {};
  const Box plate{region.x + 1, region.y + region.height - 5, region.width - 2, 4};
  const Box used{plate.x, plate.y + 0.5, plate.width * static_cast<double>(use.kv.value) / room, 3};
  return fmt::format(R"(<rect class="plate" {}/><rect class="fill3" data-cache="{}" {}/>)", place_attributes(plate),
                     pointer, place_attributes(used));
}

std::string region_svg(const WaferMap& map, std::size_t index, double scale, std::int64_t layers) {
  const PlacedRegion& placed = map.placement.regions[index];
  const Region& region = placed.region;
  const Box box = box_of(region, scale);
  const std::string pointer = fmt::format("{}/{}", map.regions_key, index);
  const std::string holds = placed.layer_count > 0 ? "layers " + layers_text(placed) : layers_text(placed);
  std::string svg =
      fmt::format(R"(<rect {} data-region="{}" {}><title>{}, {} x {} PEs at row {}, column {}</title></rect>)",
                  fill_of(placed, layers), pointer, place_attributes(box), holds, region.extent.rows,
                  region.extent.cols, region.row, region.col);
  double bar_height = 0;
  if (map.accounts) {
    const std::string bar = cache_bar(placed.sram, box, pointer);
    if (!bar.empty()) bar_height = 5;
    svg += bar;
  }
  if (box.width < text_width(layers_text(placed)) + 4 || box.height - bar_height < 15) return svg;
  return svg + fmt::format("<g data-label=\"{}\">{}</g>", pointer,
                           label_svg(placed, box.x + box.width / 2, box.y + (box.height - bar_height) / 2));
}

/// Thin ones are drawn as wide as can be seen, around their place.
std::string defect_svg(const Region& where, const std::string& pointer, double scale) {
  const double least = where.extent.pes() == 1 ? 3 : 1.5;
  Box box = box_of(where, scale);
  const auto widen = [least](double& from, double& length) {
    const double more = std::max(0.0, least - length);
    from -= more / 2;
    length += more;
  };
  widen(box.x, box.width);
  widen(box.y, box.height);
  return fmt::format(R"(<rect class="defect" data-defect="{}" {}/>)", pointer, place_attributes(box)) + "\n";
}

std::string defects_svg(const Defects& defects, Extent usable, double scale) {
  std::string svg;
  for (std::size_t i = 0; i < defects.rows.size(); ++i) {
    svg += defect_svg({0, defects.rows[i], 0, {1, usable.cols}}, fmt::format("/page/defects/rows/{}", i), scale);
  }
  for (std::size_t i = 0; i < defects.cols.size(); ++i) {
    svg += defect_svg({0, 0, defects.cols[i], {usable.rows, 1}}, fmt::format("/page/defects/cols/{}", i), scale);
  }
  for (std::size_t i = 0; i < defects.pes.size(); ++i) {
    const PePosition& pe = defects.pes[i];
    svg += defect_svg({0, pe.row, pe.col, {1, 1}}, fmt::format("/page/defects/pes/{}", i), scale);
  }
  return svg;
}

std::string one_wafer(const WaferMap& map, std::int64_t wafer, std::int64_t layers) {
  const mapping::Placement& placement = map.placement;
  const double width = map_size(placement.wafers).width;
  const double scale = width / static_cast<double>(std::max<std::int64_t>(1, map.usable.cols));
  const double height = scale * static_cast<double>(map.usable.rows);
  std::string regions;
  std::string name = "The wafer";
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    const PlacedRegion& placed = placement.regions[i];
    if (placed.region.wafer != wafer) continue;
    if (placement.wafers > 1) {
      name = "Wafer " + shown({fmt::format("{}/{}/wafer", map.regions_key, i), static_cast<double>(wafer),
                               fmt::format("{}", wafer)});
    }
    regions += region_svg(map, i, scale, layers) + "\n";
  }
  if (map.defects != nullptr) regions += defects_svg(*map.defects, map.usable, scale);
  const ChartText text{fmt::format("wafer-{}", wafer), fmt::format("Map of wafer {}", wafer),
                       "Regions drawn to scale on the usable PEs; the table of regions holds their places and layers."};
  return fmt::format(
      "<figure><figcaption>{}</figcaption>\n{}{}{}</svg></figure>\n", name, svg_open(text, width, height, ""),
      fmt::format(R"(<rect class="wafer" x="0" y="0" width="{:.2f}" height="{:.2f}"/>)", width, height), regions);
}

/// "upright, 8 bands"; the numbers point into the document.
std::string form_cell(const PlacedRegion& placed, const std::string& pointer) {
  std::string text = placed.turned ? "turned" : "upright";
  const auto add = [&](const char* key, std::int64_t number, const char* what) {
    if (number > 1) text += fmt::format(", {} {}", shown(shown_count(pointer + key, number)), what);
  };
  add("/expert_bands", placed.expert_bands, "bands");
  add("/latent_copies", placed.latent_copies, "copies");
  return text;
}

}  // namespace

std::string wafer_map(const WaferMap& map) {
  const mapping::Placement& placement = map.placement;
  if (placement.regions.empty()) return {};
  std::int64_t layers = 0;
  for (const PlacedRegion& placed : placement.regions) {
    layers = std::max(layers, placed.first_layer + placed.layer_count);
  }
  std::string maps = fmt::format("<div class=\"{}\">\n", map_size(placement.wafers).style);
  for (std::int64_t wafer = 0; wafer < placement.wafers; ++wafer) maps += one_wafer(map, wafer, layers);
  return maps + "</div>\n";
}

std::string region_holds(const WaferMap& map, std::size_t index) {
  const PlacedRegion& placed = map.placement.regions[index];
  if (placed.layer_count == 0) return layers_text(placed);
  const std::string key = fmt::format("{}/{}/layers/", map.regions_key, index);
  const std::int64_t last = placed.first_layer + placed.layer_count - 1;
  const std::string first = "layer&nbsp;" + shown(shown_count(key + "0", placed.first_layer));
  return last == placed.first_layer ? first : first + "&nbsp;to&nbsp;" + shown(shown_count(key + "1", last));
}

std::string region_table(const WaferMap& map) {
  const mapping::Placement& placement = map.placement;
  HtmlTable table{"Regions in the order in which a token visits them; wafers, rows and columns of PEs count from zero",
                  {"holds", "wafer", "row", "column", "rows", "columns"},
                  {},
                  {false, true, true, true, true, true},
                  placement.regions.size() > 12};
  if (map.accounts) {
    table.headings.emplace_back("form");
    table.caption += "; bands are of routed experts, copies of the latent cache";
  }
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    const PlacedRegion& placed = placement.regions[i];
    const std::string key = fmt::format("{}/{}", map.regions_key, i);
    const auto cell = [&](const char* name, std::int64_t value) { return shown(shown_count(key + name, value)); };
    table.rows.push_back({region_holds(map, i), cell("/wafer", placed.region.wafer), cell("/row", placed.region.row),
                          cell("/col", placed.region.col), cell("/rows", placed.region.extent.rows),
                          cell("/cols", placed.region.extent.cols)});
    if (map.accounts) table.rows.back().push_back(form_cell(placed, key));
  }
  return table_html(table);
}

}  // namespace waferline::report
