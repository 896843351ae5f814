#include "cli/answer/prefill_place.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "cli/options.hpp"
#include "cli/rated_systems.hpp"
#include "estimate/gpu_workload.hpp"

namespace waferline::cli {
namespace {

PrefillElsewhere on_wafers(const std::string& system, const estimate::PlacedModel& placed,
                           const estimate::PrefillRequest& request) {
  const Wafer wafer = naming_flag("--prefill-on", [&] { return load_wafer(system); });
  const mapping::PlaceResult result =
      mapping::place(placed.model, wafer, placed.software, {request.prompt_tokens, 1, {}});
  if (const auto* misfit = std::get_if<mapping::Misfit>(&result)) {
    throw DoesNotFit("--prefill-on: " + misfit->text());
  }
  const auto& placement = std::get<mapping::Placement>(result);
  return {estimate::estimate_prefill({placed.model, wafer, placed.software, placement}, request),
          fmt::format("on {} further {}", placement.wafers, wafer.name)};
}

}  // namespace

PrefillElsewhere prefill_elsewhere(const std::string& system, const estimate::PlacedModel& placed,
                                   const std::optional<std::string>& engine, const estimate::PrefillRequest& request) {
  if (is_wafer(system)) return on_wafers(system, placed, request);
  require_known_system("--prefill-on", system);
  const std::vector<GpuSystem> systems = parse_gpu_systems("--prefill-on", system);
  if (systems.size() != 1) throw ConfigError("--prefill-on: names several systems, permitted is one");
  const GpuSystem& gpus = systems.front();
  GpuLoad load;
  load.context_tokens = request.prompt_tokens;
  const GpuEstimate decode =
      estimate_on(gpus, gpu_workload(placed.model, request.prompt_tokens), load, engine, "--prefill-on").estimate;
  if (!decode.fits) throw DoesNotFit(fmt::format("--prefill-on {}: {}", system, decode.shortfall));
  const EngineChoice choice = engine_for(gpus, engine, "--prefill-on");
  return {naming_flag("--prefill-on",
                      [&] {
                        return estimate::estimate_gpu_prefill(
                            placed.model, {gpus.gpu, gpus.devices, choice.engine, choice.widening}, request);
                      }),
          "on " + system};
}

report::GpuAnswerTime answer_on_gpus(const GpuSystem& system, const models::Model& model,
                                     const std::optional<std::string>& engine, const estimate::AnswerRequest& request,
                                     std::int64_t batch) {
  report::GpuAnswerTime answer;
  answer.system = fmt::format("{}x{}", system.gpu.name, system.devices);
  const EngineChoice choice = engine_for(system, engine, "--vs");
  GpuLoad load;
  load.context_tokens = estimate::mean_context(request);
  load.batch = static_cast<double>(batch);
  const GpuEstimate decode = estimate_gpu(gpu_workload(model, load.context_tokens), system.gpu, system.devices,
                                          choice.engine, load, choice.widening);
  if (!decode.fits) {
    answer.problem = decode.shortfall;
    return answer;
  }
  if (!dense_rate(system.gpu, DType::bf16)) {
    answer.problem = "its arithmetic rate is not known, so neither is prefill";
    return answer;
  }
  estimate::PrefillEstimate prefill = estimate::estimate_gpu_prefill(
      model, {system.gpu, system.devices, choice.engine, choice.widening}, request.prefill);
  // The pass that ends prefill includes the head; what the engine spends for each token comes on top.
  answer.time = estimate::answer_time(request, std::move(prefill), std::nullopt, choice.engine.token_overhead.value,
                                      {decode.low, decode.expected, decode.high}, 1);
  return answer;
}

}  // namespace waferline::cli
