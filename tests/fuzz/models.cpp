// Any JSON text is read as a model or refused; what was read can be summed up, and its counts are not negative.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/config.hpp"
#include "models/inspect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waferline;
  try {
    const ConfigNode root = parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    const models::Model model = models::read_config(root, "fuzz.json");
    const models::Inspection all = models::inspect(model, 8192);
    if (all.parameters.total() < 0 || all.read_per_token < 0 || all.weight_bytes.value < 0 ||
        all.kv.at_context.value < 0)
      __builtin_trap();
    if (all.weight_bytes_per_token > all.checkpoint_bytes && !all.tied_embeddings) __builtin_trap();
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}
