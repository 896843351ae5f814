// Follows: docs/model/60-serving.md, F91, F92 and F98.
#include "estimate/answer/prefill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "arch/error.hpp"
#include "estimate/answer/prefill_timer.hpp"
#include "estimate/uncertain_inputs.hpp"

namespace waferline::estimate {
namespace {

constexpr std::array methods{PrefillMethod::products, PrefillMethod::rows};

/// Smaller chunks than would cut the prompt into so many are looked at only if no larger one fits.
constexpr std::int64_t most_chunks = 512;

ProductOverheads expected_overheads() {
  return {prefill_instruction_overhead().value, prefill_rotation_overhead().value};
}

/// A way to run the prompt.
struct Plan {
  PrefillMethod method = PrefillMethod::products;
  std::int64_t chunk_tokens = 0;
  Seconds end;
};

Seconds end_of(PrefillTimer& timer, const PrefillRequest& request, const Plan& plan) {
  FlowLine line;
  Seconds end;
  for (const PromptChunk& chunk : chunks_of(request, plan.chunk_tokens)) {
    end = line.send(timer.stages(chunk, plan.method));
  }
  return end;
}

/// The whole prompt, then powers of two below it; or the one size that was asked for.
std::vector<std::int64_t> sizes_of(const PrefillRequest& request) {
  const std::int64_t all = request.new_tokens();
  if (request.chunk_tokens) return {std::min(*request.chunk_tokens, all)};
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = all; size >= 1;) {
    sizes.push_back(size);
    size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size - 1)));
  }
  return sizes;
}

/// The fastest plan of each method that fits.
std::vector<Plan> plans_of(PrefillTimer& timer, const PrefillRequest& request) {
  std::vector<Plan> plans;
  for (const PrefillMethod method : methods) {
    std::optional<Plan> best;
    for (const std::int64_t size : sizes_of(request)) {
      if (best && ceil_div(request.new_tokens(), size) > most_chunks) break;
      // The last chunk looks back on most; one more that is cut short needs no more room.
      if (timer.shortage({size, request.prompt_tokens - size}, method) > Bytes{0}) continue;
      Plan plan{method, size, {}};
      plan.end = end_of(timer, request, plan);
      if (!best || plan.end < best->end) best = plan;
    }
    if (best) plans.push_back(*best);
  }
  return plans;
}

[[noreturn]] void no_room(const PlacedModel& placed, PrefillTimer& timer, const PrefillRequest& request) {
  const std::int64_t size = request.chunk_tokens ? sizes_of(request).front() : 1;
  const PromptChunk chunk{size, request.prompt_tokens - size};
  const Bytes shortage =
      std::min(timer.shortage(chunk, PrefillMethod::products), timer.shortage(chunk, PrefillMethod::rows));
  const std::string what = request.chunk_tokens ? fmt::format("--prefill-chunk: {} tokens are", size)
                                                : fmt::format("prefill of {}: even one token is", placed.model.name);
  throw DoesNotFit(
      fmt::format("{} {} B short on the fullest PE beside weights and cache (see --wafers, --context and "
                  "--prefill-on)",
                  what, shortage.value));
}

/// How long the prompt takes, by whichever plan is fastest there, with other inputs.
Seconds fastest(const PlacedModel& placed, const ProductOverheads& overheads, const PrefillRequest& request,
                const std::vector<Plan>& plans) {
  PrefillTimer timer(placed, request, overheads);
  Seconds least = end_of(timer, request, plans.front());
  for (const Plan& plan : plans) least = std::min(least, end_of(timer, request, plan));
  return least;
}

/// F28 over the inputs of the hardware, the software and the two constants of prefill; the rows of these are met within
/// 3.1 % on average.
class PrefillBand {
 public:
  PrefillBand(Seconds expected) : expected_(expected) {
    constexpr double mean_error = 0.031;
    faster_ = slower_ = std::pow(std::log1p(2 * mean_error), 2);
  }
  void add(Seconds one_end, Seconds other_end) {
    const auto [shortest, longest] = std::minmax(one_end, other_end);
    faster_ += std::pow(std::log(std::max(1.0, expected_ / shortest)), 2);
    slower_ += std::pow(std::log(std::max(1.0, longest / expected_)), 2);
  }
  SecondsBand band() const {
    return {expected_ / std::exp(std::sqrt(faster_)), expected_, expected_ * std::exp(std::sqrt(slower_))};
  }

 private:
  Seconds expected_;
  double faster_ = 0;
  double slower_ = 0;
};

SecondsBand band_of(const PlacedModel& placed, const PrefillRequest& request, const std::vector<Plan>& plans,
                    Seconds expected) {
  PrefillBand band(expected);
  const std::vector<InputLine> lines = list_inputs(placed.wafer, placed.software);
  const auto at_end = [&](std::size_t index, bool high) {
    Wafer wafer = placed.wafer;
    SoftwareProfile software = placed.software;
    set_to_end(wafer, software, index, high);
    return fastest({placed.model, wafer, software, placed.placement}, expected_overheads(), request, plans);
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].has_band) band.add(at_end(i, false), at_end(i, true));
  }
  const auto with = [&](Cycles instruction, Cycles rotation) {
    return fastest(placed, {instruction, rotation}, request, plans);
  };
  const Sourced<Cycles> instruction = prefill_instruction_overhead();
  const Sourced<Cycles> rotation = prefill_rotation_overhead();
  // No served prefill has been published: at its slow end an instruction costs what one of decoding does.
  const Cycles slow = std::max(instruction.high(), placed.software.vector_instruction_overhead.value);
  band.add(with(instruction.low(), rotation.value), with(slow, rotation.value));
  band.add(with(instruction.value, rotation.low()), with(instruction.value, rotation.high()));
  return band.band();
}

Assumption assumption(const char* key, const Sourced<Cycles>& of) {
  return {key, fmt::format("{:.4g} cycles ({:.4g} to {:.4g})", of.value.value, of.low().value, of.high().value),
          describe(of.provenance), of.provenance.source + "; " + of.provenance.note};
}

/// What the software does not say of itself.
void add_sources(PrefillEstimate& estimate) {
  if (estimate.method == PrefillMethod::rows) {
    estimate.notes.emplace_back(
        "prefill as rows of decode passes, one chunk behind the other, with the software's own constants");
    return;
  }
  estimate.assumptions = {assumption("prefill.instruction_overhead", prefill_instruction_overhead()),
                          assumption("prefill.rotation_overhead", prefill_rotation_overhead())};
  estimate.notes.emplace_back(
      "prefill as shifted matrix products with the constants of WaferLLM's kernel, whatever the software: no prefill "
      "of "
      "a service has been published");
}

}  // namespace

void check(const PrefillRequest& request) {
  if (request.prompt_tokens < 1) {
    throw ConfigError(fmt::format("--prompt-tokens: is {}, permitted is 1 or more", request.prompt_tokens));
  }
  if (request.cached_tokens < 0 || request.cached_tokens >= request.prompt_tokens) {
    throw ConfigError(fmt::format("--prefix-cached-tokens: is {}, permitted are 0 to {}, less than the prompt",
                                  request.cached_tokens, request.prompt_tokens - 1));
  }
  if (request.chunk_tokens && *request.chunk_tokens < 1) {
    throw ConfigError(fmt::format("--prefill-chunk: is {}, permitted is 1 or more", *request.chunk_tokens));
  }
}

std::vector<PromptChunk> chunks_of(const PrefillRequest& request, std::int64_t chunk_tokens) {
  std::vector<PromptChunk> chunks;
  for (std::int64_t at = request.cached_tokens; at < request.prompt_tokens; at += chunk_tokens) {
    chunks.push_back({std::min(chunk_tokens, request.prompt_tokens - at), at});
  }
  return chunks;
}

Bytes prefill_shortage(const PlacedModel& placed, PromptChunk chunk, PrefillMethod method) {
  return PrefillTimer(placed, {chunk.before + chunk.tokens, chunk.before, {}}, expected_overheads())
      .shortage(chunk, method);
}

PrefillEstimate estimate_prefill(const PlacedModel& placed, const PrefillRequest& request) {
  check(request);
  PrefillTimer timer(placed, request, expected_overheads());
  const std::vector<Plan> plans = plans_of(timer, request);
  if (plans.empty()) no_room(placed, timer, request);
  const Plan plan =
      *std::min_element(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) { return a.end < b.end; });
  PrefillEstimate estimate;
  estimate.system = placed.wafer.name;
  estimate.method = plan.method;
  estimate.new_tokens = request.new_tokens();
  estimate.chunk_tokens = plan.chunk_tokens;
  estimate.time = band_of(placed, request, plans, plan.end);
  FlowLine line;
  Seconds before;
  std::vector<Seconds> work;
  for (const PromptChunk& chunk : chunks_of(request, plan.chunk_tokens)) {
    const std::vector<Seconds>& stages = timer.stages(chunk, plan.method);
    work.resize(stages.size());
    Seconds way;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      way += stages[stage];
      work[stage] += stages[stage];
    }
    const Seconds end = line.send(stages);
    estimate.chunk_gap = end - before;
    before = end;
    estimate.chunk_way = std::max(estimate.chunk_way, way);
    ++estimate.chunks;
  }
  estimate.busiest_stage = *std::max_element(work.begin(), work.end());
  add_sources(estimate);
  return estimate;
}

}  // namespace waferline::estimate
