#include "estimate/sweep/columns.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "estimate/pass_time.hpp"

namespace waferline::estimate {
namespace {

constexpr std::array kBounds{"aggregate_bandwidth", "layer_serial_bandwidth", "distance"};

std::string real(double value) {
  return fmt::format("{}", value);
}

std::string whole(std::int64_t value) {
  return fmt::format("{}", value);
}

/// One line: a row of the file is one.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == '\r' || c == ' ';
    if (is_space && (line.empty() || line.back() == ' ')) continue;
    line += is_space ? ' ' : c;
  }
  return line;
}

Seconds bound(const DecodeEstimate& estimate, const char* name) {
  for (const BoundLine& line : estimate.bounds) {
    if (line.name == name) return line.time;
  }
  throw std::logic_error(fmt::format("an estimate without the bound {}", name));
}

}  // namespace

std::string unit_of_key(std::string_view key) {
  // The longer ends first.
  constexpr std::array<std::array<std::string_view, 2>, 15> units{{{"_bytes_per_cycle", "bytes/cycle"},
                                                                   {"_macs_per_cycle", "MACs/cycle"},
                                                                   {"_bytes_per_s", "bytes/s"},
                                                                   {"_cycles_per_element", "cycles/element"},
                                                                   {"_cycles_per_scalar", "cycles/scalar"},
                                                                   {"_per_rack", "wafers"},
                                                                   {"_bytes", "bytes"},
                                                                   {"_banks", "banks"},
                                                                   {"_cycles", "cycles"},
                                                                   {"_hz", "Hz"},
                                                                   {"_pes", "PEs"},
                                                                   {"_tokens", "tokens"},
                                                                   {"_s", "s"},
                                                                   {".extent", "rows x columns of PEs"},
                                                                   {".usable", "rows x columns of PEs"}}};
  for (const auto& [end, unit] : units) {
    if (key.ends_with(end)) return std::string(unit);
  }
  return {};
}

std::vector<SweepColumn> result_columns() {
  constexpr CellKind integer = CellKind::integer;
  constexpr CellKind real = CellKind::real;
  std::vector<SweepColumn> columns{{"fits", integer, "", "1: there is an estimate; 0: there is none"},
                                   {"reason", CellKind::text, "", "why there is none"},
                                   {"tokens_per_s_low", real, "tokens/s", "of one user, slow end of the band"},
                                   {"tokens_per_s", real, "tokens/s", "of one user"},
                                   {"tokens_per_s_high", real, "tokens/s", "of one user, fast end of the band"},
                                   {"tpot_s", real, "s", "time of an output token"},
                                   {"wafers", integer, "wafers", "of the placement"},
                                   {"regions", integer, "regions", "of the placement"},
                                   {"max_users", integer, "users", "whose caches the placement can hold"},
                                   {"max_context_tokens", integer, "tokens", "that it can hold for each user"},
                                   {"pipelined_tokens_per_s", real, "tokens/s", "of all users, every stage busy"},
                                   {"slowest_stage_s", real, "s", "time of a pass in the slowest region"}};
  for (const char* name : kBounds)
    columns.push_back({fmt::format("bounds_s.{}", name), real, "s", "no software is faster"});
  columns.push_back({"gap_pct", real, "%", "of the placement to its bound"});
  for (std::size_t i = 0; i < kCauses; ++i) {
    columns.push_back({fmt::format("breakdown_s.{}", name(static_cast<Cause>(i))), real, "s", "part of tpot_s"});
  }
  return columns;
}

SweepRow result_cells(const DecodeEstimate& estimate) {
  const mapping::Placement& placement = estimate.placement;
  SweepRow cells{"1",
                 "",
                 real(estimate.tokens_per_s.low),
                 real(estimate.tokens_per_s.expected),
                 real(estimate.tokens_per_s.high),
                 real(estimate.tpot.expected.value),
                 whole(placement.wafers),
                 whole(std::ssize(placement.regions)),
                 whole(placement.max_users),
                 whole(placement.max_context_tokens),
                 real(estimate.pipelined_tokens_per_s),
                 real(estimate.slowest_stage.value)};
  for (const char* name : kBounds) cells.push_back(real(bound(estimate, name).value));
  cells.push_back(real(placement.search.gap_pct));
  for (const BreakdownPart& part : estimate.breakdown) cells.push_back(real(part.time.value));
  return cells;
}

SweepRow misfit_cells(const std::string& reason) {
  SweepRow cells{"0", on_one_line(reason)};
  cells.resize(result_columns().size());
  return cells;
}

}  // namespace waferline::estimate
