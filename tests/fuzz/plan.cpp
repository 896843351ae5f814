// Any text is a plan of Llama 3.1 8B or gives a ConfigError; a plan that is read is written and read again equal, and
// is either refused for what is wrong with it or placed with a finite time.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arch/error.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "mapping/plan_file.hpp"
#include "models/library.hpp"

using namespace waferline;
using namespace waferline::mapping;

namespace {

const PlanPurpose kPurpose{"llama-3.1-8b", "wse3"};

void check_round_trip(const PlanFile& read) {
  try {
    if (!(parse_plan(plan_toml(read.plan, kPurpose), "again.toml", kPurpose).plan == read.plan)) __builtin_trap();
  } catch (const ConfigError&) {
    __builtin_trap();  // what we write, we read
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const models::Model model = models::load_model(kPurpose.model);
  static const Wafer wafer = load_wafer(kPurpose.system);
  static const SoftwareProfile software = load_software("service-2024");
  try {
    const PlanFile read = parse_plan({reinterpret_cast<const char*>(data), size}, "fuzz.toml", kPurpose);
    check_round_trip(read);
    const Placement placement = place_as_planned(model, wafer, software, {4096, 1, {}}, read);
    if (!std::isfinite(placement.search.pass.value)) __builtin_trap();
  } catch (const ConfigError&) {
  } catch (const DoesNotFit&) {
  }
  return 0;
}
