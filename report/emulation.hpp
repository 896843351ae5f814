#pragma once
// What an emulated decode did, as text and as JSON.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/emulate/decode.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// Sums over the steps of passes; each step counts its busiest PE or link.
struct CounterTotals {
  std::int64_t instructions = 0;
  std::int64_t macs = 0;
  std::int64_t exponentials = 0;
  std::int64_t specials = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t dequantised = 0;
  std::int64_t words = 0;
  std::int64_t wavelets = 0;
  std::int64_t link_wavelets = 0;
  std::int64_t combines = 0;
  bool operator==(const CounterTotals&) const = default;
};

struct EmulatedDecode {
  std::vector<std::int64_t> prompt;
  std::vector<std::int64_t> tokens;
  std::vector<double> cycles_per_token;
  CounterTotals counted;      ///< of the last pass
  CounterTotals closed_form;  ///< of the same pass
  std::string stopped_by;     ///< "tokens", "stop_token", "context"
  std::string system;
  std::string software;
  std::string dtype;
  Extent mesh;
  std::int64_t layers = 0;
  std::int64_t layers_of_model = 0;
  std::int64_t layer_sram_bytes = 0;
  std::int64_t sram_bytes_per_pe = 0;
  std::int64_t weight_bytes = 0;  ///< read from host memory for one token
  double host_seconds = 0;
  double host_gb_per_s = 0;
  int threads = 1;
};

/// Counters of one pass as they were tallied, and as the closed form has them.
CounterTotals counted_totals(const std::vector<kernels::emulate::CountedSchedule>& pass);
CounterTotals closed_form_totals(const std::vector<kernels::emulate::CountedSchedule>& pass);

/// Names and numbers, in the order in which they are shown.
std::vector<std::pair<std::string, std::int64_t>> totals_rows(const CounterTotals& totals);

/// What follows the tokens, which were printed as they came.
Lines emulation_text(const EmulatedDecode& decode, const Page& page);

/// Schema 1, `emulate model`.
std::string emulation_json(const EmulatedDecode& decode);

}  // namespace waferline::report
