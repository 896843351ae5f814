#include "cli/estimate_series.hpp"

#include <algorithm>
#include <set>

#include "arch/error.hpp"
#include "estimate/gpu_workload.hpp"

namespace waferline::cli {
namespace {

constexpr std::int64_t shortest_context = 1024;
constexpr std::int64_t most_users = 1024;

std::set<std::int64_t> steps(std::int64_t first, std::int64_t factor, std::int64_t last, std::int64_t asked) {
  std::set<std::int64_t> values{asked};
  for (std::int64_t value = first; value <= last; value *= factor) values.insert(value);
  // The end of the curve says where memory runs out.
  if (last > first) values.insert(last);
  return values;
}

std::vector<report::RoofRate> roof(const estimate::DecodeEstimate& decode) {
  const auto users = static_cast<double>(decode.request.batch);
  std::vector<report::RoofRate> rates{{"estimate", users * decode.tokens_per_s.expected}};
  for (const estimate::BoundLine& bound : decode.bounds) {
    if (bound.time.value <= 0) continue;
    rates.push_back({bound.name, users * decode.request.accepted_tokens / bound.time.value});
  }
  return rates;
}

std::optional<report::SeriesPoint> point(const SeriesInputs& inputs, const estimate::DecodeRequest& request) {
  try {
    const estimate::DecodeEstimate decode =
        estimate::estimate_decode(inputs.model, inputs.wafer, inputs.software, request);
    report::SeriesPoint point{
        request.context_tokens, request.batch, decode.tokens_per_s, decode.pipelined_tokens_per_s, {}, roof(decode)};
    if (inputs.gpus.empty()) return point;
    const GpuWorkload workload = gpu_workload(inputs.stored, request.context_tokens);
    GpuLoad load;
    load.context_tokens = request.context_tokens;
    load.batch = static_cast<double>(request.batch);
    for (const GpuSystem& system : inputs.gpus) {
      const GpuEstimate gpu = estimate_on(system, workload, load, inputs.engine, "--vs").estimate;
      point.gpus.push_back(gpu.fits ? std::optional(1 / gpu.expected.value) : std::nullopt);
    }
    return point;
  } catch (const DoesNotFit&) {
    return std::nullopt;
  }
}

}  // namespace

report::PageSeries page_series(const SeriesInputs& inputs, const estimate::DecodeEstimate& answer) {
  report::PageSeries series;
  estimate::DecodeRequest request = answer.request;
  request.wafers = answer.placement.wafers;
  for (const std::int64_t context :
       steps(shortest_context, 4, answer.placement.max_context_tokens, answer.request.context_tokens)) {
    request.context_tokens = context;
    if (auto found = point(inputs, request)) series.over_context.push_back(std::move(*found));
  }
  request.context_tokens = answer.request.context_tokens;
  for (const std::int64_t users : steps(1, 2, std::min(most_users, answer.placement.max_users), answer.request.batch)) {
    request.batch = users;
    if (auto found = point(inputs, request)) series.over_users.push_back(std::move(*found));
  }
  return series;
}

}  // namespace waferline::cli
