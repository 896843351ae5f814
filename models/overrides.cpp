#include "models/overrides.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "models/counts.hpp"
#include "models/quant_types.hpp"
#include "models/quantisation.hpp"

namespace waferline::models {

Model stored_as(Model model, const StorageOverrides& overrides) {
  if (overrides.weight_bits) {
    const int bits = *overrides.weight_bits;
    if (bits != 16 && bits != 8 && bits != 4) {
      throw ConfigError(fmt::format("weight bits: {} is not offered, permitted are 16, 8 and 4", bits));
    }
    QuantScheme scheme;
    scheme.kv_dtype = model.kv_dtype;
    if (bits < 16) scheme.rules.push_back({bits == 8 ? fp8_blocks(128, 128) : mxfp4(), QuantReach::linear, true, {}});
    apply_quantisation(scheme, model);
    count_parameters(model);
    model.notes.push_back(fmt::format("weights are taken at {} bits, not as the checkpoint stores them", bits));
  }
  if (overrides.kv_dtype) {
    model.kv_dtype = *overrides.kv_dtype;
    model.notes.push_back(fmt::format("the KV cache is taken as {}", name(model.kv_dtype)));
  }
  return model;
}

}  // namespace waferline::models
