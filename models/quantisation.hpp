#pragma once
// How a checkpoint stores its weights: every published form of saying so, turned into one rule per module.

#include <optional>
#include <string>
#include <vector>

#include "models/config.hpp"
#include "models/keys.hpp"
#include "models/module_pattern.hpp"

namespace waferline::models {

/// Which kinds of weights a rule may touch at all.
enum class QuantReach {
  linear,          ///< projections of mixers, dense blocks and experts
  routed_experts,  ///< routed experts only (mxfp4)
  everything       ///< also routers, embedding and head (MLX)
};

/// One way of storing, and the modules it is for.
struct QuantRule {
  StoredType type;
  QuantReach reach = QuantReach::linear;
  bool all = true;         ///< for every module within reach
  ModulePatterns modules;  ///< else for these
};

/// A checkpoint's storage: the first rule that names a module wins; modules under `ignore` and those that no rule names
/// are stored plainly.
struct QuantScheme {
  std::string description;  ///< "" if nothing is quantised
  StoredType plain;         ///< type of what is not quantised
  std::vector<QuantRule> rules;
  ModulePatterns ignore;
  bool rules_outrank_ignore = false;  ///< the ignore list belongs to another layer of settings (fp8 with NVFP4 experts)
  DType kv_dtype = DType::bf16;
};

/// Reads dtype, quantization_config (fp8, mxfp4, compressed-tensors, modelopt, gptq, awq, bitsandbytes, fbgemm_fp8),
/// MLX's "quantization", expert_dtype, and hf_quant_config.json. Problems: an unknown method or algorithm, bits that
/// are not modelled, settings of the wrong type.
QuantScheme read_quantisation(Keys& keys, const ConfigSurroundings& around);

/// Marks every weight of the model with how it is stored. Weights of biases that steer the router are kept in fp32.
void apply_quantisation(const QuantScheme& scheme, Model& model);

}  // namespace waferline::models
