#include "cli/rated_systems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "cli/gpu_systems.hpp"
#include "cli/options.hpp"
#include "estimate/gpu_workload.hpp"
#include "estimate/wafer.hpp"
#include "models/library.hpp"
#include "traces/published_speeds.hpp"

namespace waferline::cli {
namespace {

estimate::RatedSystem on_wafer(const models::Model& model, const RateRequest& request, const std::string& system) {
  const SoftwareProfile software = naming_flag("--software", [&] { return load_software(request.software); });
  estimate::DecodeRequest decode;
  decode.context_tokens = request.context_tokens;
  decode.accepted_tokens = request.accepted_tokens;
  const estimate::DecodeEstimate result =
      estimate::estimate_decode(model, naming_flag("--system", [&] { return load_wafer(system); }), software, decode);
  return {system,
          TokensPerSecond{result.tokens_per_s.expected},
          TokensPerSecond{result.tokens_per_s.low},
          TokensPerSecond{result.tokens_per_s.high},
          fmt::format("estimate of {} on {} {}, software {}, context {}, {:g} tokens a pass", model.name,
                      result.placement.wafers, result.system, software.name, request.context_tokens,
                      request.accepted_tokens),
          {}};
}

estimate::RatedSystem on_gpus(const models::Model& model, const RateRequest& request, const std::string& name) {
  const GpuSystem system = parse_gpu_systems("--system", name).at(0);
  GpuLoad load;
  load.context_tokens = request.context_tokens;
  const GpuEstimate result =
      estimate_on(system, gpu_workload(model, request.context_tokens), load, std::nullopt, "--system").estimate;
  if (!result.fits) throw DoesNotFit(fmt::format("--system {}: {}: {}", name, model.name, result.shortfall));
  const auto rate = [](Seconds time) { return TokensPerSecond{1 / time.value}; };
  return {name,
          rate(result.expected),
          rate(result.high),
          rate(result.low),
          fmt::format("estimate of {} on {} {}, engine {}, context {}", model.name, result.devices, result.gpu,
                      result.engine, request.context_tokens),
          {}};
}

}  // namespace

bool is_wafer(const std::string& name) {
  const std::vector<std::string> wafers = list_wafers();
  return name.ends_with(".toml") || std::find(wafers.begin(), wafers.end(), name) != wafers.end();
}

void require_known_system(const char* flag, const std::string& name) {
  const std::vector<std::string> gpus = list_gpus();
  const std::string gpu = name.substr(0, name.rfind('x'));
  if (std::find(gpus.begin(), gpus.end(), name) != gpus.end()) return;
  if (std::find(gpus.begin(), gpus.end(), gpu) != gpus.end()) return;
  std::vector<std::string> known = list_wafers();
  known.insert(known.end(), gpus.begin(), gpus.end());
  const std::string nearest = nearest_name(name, known);
  throw ConfigError(fmt::format("{}: \"{}\" is neither a wafer nor a GPU{}", flag, name,
                                nearest.empty() ? "; see waferline list systems and waferline list gpus"
                                                : fmt::format(", did you mean {}?", nearest)));
}

std::vector<estimate::RatedSystem> published_rates(const std::vector<std::string>& endpoints) {
  std::vector<estimate::RatedSystem> systems;
  if (endpoints.empty()) return systems;
  const std::vector<traces::PublishedSpeed> speeds = traces::read_published_speeds();
  for (const std::string& text : endpoints) {
    const std::size_t equals = text.find('=');
    const std::string wanted = equals == std::string::npos ? text : text.substr(equals + 1);
    const traces::PublishedSpeed& speed = naming_flag(
        "--endpoint", [&]() -> const traces::PublishedSpeed& { return find_published_speed(speeds, wanted); });
    systems.push_back({equals == std::string::npos ? speed.provider : text.substr(0, equals),
                       TokensPerSecond{speed.tokens_per_s},
                       {},
                       {},
                       fmt::format("published #{}: {} at {}, {}, {}, {}", speed.row, speed.model, speed.provider,
                                   speed.qualifier, speed.kind, speed.date),
                       speed.usd_per_million_output_tokens});
  }
  return systems;
}

std::vector<estimate::RatedSystem> estimated_rates(const RateRequest& request,
                                                   const std::vector<std::string>& systems) {
  const models::Model model = models::load_model(request.model);
  std::vector<estimate::RatedSystem> rates;
  for (const std::string& name : systems) {
    if (is_wafer(name)) {
      rates.push_back(on_wafer(model, request, name));
    } else {
      require_known_system("--system", name);
      rates.push_back(on_gpus(model, request, name));
    }
  }
  return rates;
}

}  // namespace waferline::cli
