#pragma once
// What a user may change about how a model is stored.

#include <optional>

#include "models/model.hpp"

namespace waferline::models {

/// Storage other than the checkpoint's.
struct StorageOverrides {
  std::optional<int> weight_bits;  ///< 16, 8 or 4
  std::optional<DType> kv_dtype;
};

/// The model stored that way. 16: everything in bf16. 8: projections of mixers and feed-forward blocks in fp8 with one
/// fp32 scale per 128 x 128 block. 4: those projections in mxfp4. Embedding, head, routers, norms and biases are bf16
/// in all three. Errors: ConfigError for other weight bits.
Model stored_as(Model model, const StorageOverrides& overrides);

}  // namespace waferline::models
