#include "cli/gpu_systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"
#include "cli/options.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange device_counts{1, 1024};

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

GpuSystem parse_system(std::string_view flag, std::string_view text, const std::vector<std::string>& known) {
  if (text.empty()) throw ConfigError(fmt::format("{}: an entry is empty, NAMExCOUNT was expected", flag));
  std::string name(text);
  std::int64_t devices = 1;
  // A name may itself end in x and digits, so a whole name comes first.
  const std::size_t x = text.rfind('x');
  const bool whole_name = std::find(known.begin(), known.end(), name) != known.end();
  if (!whole_name && x != std::string_view::npos && is_digits(text.substr(x + 1))) {
    name = text.substr(0, x);
    devices = parse_integer(fmt::format("{} {}", flag, shown_argument(text)), text.substr(x + 1), device_counts);
  }
  return {naming_flag(std::string(flag).c_str(), [&] { return load_gpu(name); }), devices};
}

EngineChoice named_engine(const std::string& name, const Gpu& gpu) {
  EngineChoice choice;
  choice.engine = naming_flag("--engine", [&] { return load_gpu_engine(name); });
  const std::vector<std::string>& measured = choice.engine.gpus;
  choice.same_gpu = std::find(measured.begin(), measured.end(), gpu.name) != measured.end();
  choice.widening = choice.same_gpu ? 1 : other_gpu_widening;
  choice.reason = fmt::format("{} as asked for with --engine{}", name,
                              choice.same_gpu ? "" : ", measured on other GPUs: the band is wider");
  return choice;
}

EngineChoice measured_engine(const GpuSystem& system, const char* flag) {
  try {
    return choose_gpu_engine(system.gpu, system.devices, load_engine_index());
  } catch (const std::invalid_argument& problem) {
    throw ConfigError(fmt::format("{}: {}x{}: {}", flag, system.gpu.name, system.devices, problem.what()));
  }
}

}  // namespace

EngineChoice engine_for(const GpuSystem& system, const std::optional<std::string>& engine, const char* flag) {
  return engine ? named_engine(*engine, system.gpu) : measured_engine(system, flag);
}

report::GpuAnswer estimate_on(const GpuSystem& system, const GpuWorkload& workload, const GpuLoad& load,
                              const std::optional<std::string>& engine, const char* flag) {
  const EngineChoice choice = engine_for(system, engine, flag);
  return {estimate_gpu(workload, system.gpu, system.devices, choice.engine, load, choice.widening), choice.reason};
}

std::vector<GpuSystem> parse_gpu_systems(std::string_view flag, std::string_view text) {
  const std::vector<std::string> known = list_gpus();
  std::vector<GpuSystem> systems;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    systems.push_back(parse_system(flag, text.substr(at, end - at), known));
    at = end + 1;
  }
  return systems;
}

}  // namespace waferline::cli
