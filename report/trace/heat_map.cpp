#include "report/trace/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/number.hpp"

namespace waferline::report {
namespace {

/// Characters by how much ink they have.
constexpr std::string_view kInk = " .:-=+*#%@";
constexpr int kFrame = 4;  ///< columns that a map's indent and frame take
constexpr std::int64_t kMostRows = 36;

/// Block `index` of `blocks` over `size`: first element.
std::int64_t block_begin(std::int64_t index, std::int64_t blocks, std::int64_t size) {
  return index * size / blocks;
}

double mean_of_block(const std::vector<double>& values, const HeatMap& map, std::int64_t row, std::int64_t col) {
  const std::int64_t row_end = block_begin(row + 1, map.cells.rows, map.pes.rows);
  const std::int64_t col_begin = block_begin(col, map.cells.cols, map.pes.cols);
  const std::int64_t col_end = block_begin(col + 1, map.cells.cols, map.pes.cols);
  double sum = 0;
  std::int64_t count = 0;
  for (std::int64_t r = block_begin(row, map.cells.rows, map.pes.rows); r < row_end; ++r) {
    for (std::int64_t c = col_begin; c < col_end; ++c, ++count)
      sum += values[static_cast<std::size_t>(r * map.pes.cols + c)];
  }
  return sum / static_cast<double>(count);
}

char ink(const HeatMap& map, double value) {
  if (map.most <= map.least) return map.most > 0 ? kInk.back() : kInk.front();
  const double share = (value - map.least) / (map.most - map.least);
  const auto step = static_cast<std::size_t>(std::lround(share * static_cast<double>(kInk.size() - 1)));
  return kInk[std::min(step, kInk.size() - 1)];
}

}  // namespace

HeatMap heat_map(Extent pes, const std::vector<double>& values, Extent most_cells) {
  HeatMap map;
  map.pes = pes;
  map.cells = {std::min(pes.rows, most_cells.rows), std::min(pes.cols, most_cells.cols)};
  for (std::int64_t row = 0; row < map.cells.rows; ++row) {
    for (std::int64_t col = 0; col < map.cells.cols; ++col) map.values.push_back(mean_of_block(values, map, row, col));
  }
  const auto [least, most] = std::minmax_element(map.values.begin(), map.values.end());
  map.least = *least;
  map.most = *most;
  return map;
}

Extent cells_for(Extent pes, const Page& page) {
  const std::int64_t most_cols = page.width - kFrame;
  if (pes.cols <= most_cols && pes.rows <= kMostRows) return pes;
  const auto rows = static_cast<double>(pes.rows) / 2;
  const auto cols = static_cast<double>(pes.cols);
  const double pes_each = std::max({1.0, cols / static_cast<double>(most_cols), rows / static_cast<double>(kMostRows)});
  return {std::clamp<std::int64_t>(std::llround(rows / pes_each), 1, kMostRows),
          std::clamp<std::int64_t>(std::llround(cols / pes_each), 1, most_cols)};
}

Lines heat_map_lines(const HeatMap& map, const std::string& unit, const Page& page) {
  const int wide = map.cells == map.pes && 2 * map.cells.cols + kFrame <= page.width ? 2 : 1;
  const std::string rule = "  +" + std::string(static_cast<std::size_t>(wide * map.cells.cols), '-') + "+";
  Lines lines{rule};
  for (std::int64_t row = 0; row < map.cells.rows; ++row) {
    std::string line = "  |";
    for (std::int64_t col = 0; col < map.cells.cols; ++col) {
      const double value = map.values[static_cast<std::size_t>(row * map.cells.cols + col)];
      line.append(static_cast<std::size_t>(wide), ink(map, value));
    }
    lines.push_back(line + "|");
  }
  lines.push_back(rule);
  const auto per_place = [](std::int64_t pes, std::int64_t places) {
    return significant(static_cast<double>(pes) / static_cast<double>(places), 2);
  };
  const std::string each = map.cells == map.pes
                               ? std::string("one PE")
                               : fmt::format("about {} x {} PEs", per_place(map.pes.rows, map.cells.rows),
                                             per_place(map.pes.cols, map.cells.cols));
  const std::string scale =
      map.most > map.least
          ? fmt::format("\"{}\" from {} to {} {}", kInk, significant(map.least, 4), significant(map.most, 4), unit)
          : fmt::format("{} {} everywhere", significant(map.most, 4), unit);
  append(lines, wrapped(fmt::format("{}; a place is {}, row 0 at the top", scale, each), page.width, 2, 0));
  return lines;
}

}  // namespace waferline::report
