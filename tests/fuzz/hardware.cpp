// Any text is a wafer, GPU, engine or software file or gives a ConfigError, and what was read is written and read again
// equal.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arch/error.hpp"
#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"

using namespace waferline;

namespace {

template <class Parse>
void check_round_trip(std::string_view text, const Parse& parse) {
  try {
    const auto read = parse(text, "fuzz.toml");
    try {
      if (!(parse(to_toml(read), "again.toml") == read)) __builtin_trap();
    } catch (const ConfigError&) {
      __builtin_trap();  // what we write, we read
    }
  } catch (const ConfigError&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_round_trip(text, [](std::string_view toml, const std::string& file) {
    Wafer wafer = parse_wafer(toml, file);
    (void)aggregates(wafer);
    return wafer;
  });
  check_round_trip(text, parse_gpu);
  check_round_trip(text, parse_gpu_engine);
  check_round_trip(text, parse_software);
  return 0;
}
