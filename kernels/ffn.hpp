#pragma once
// Feed-forward blocks: dense, and mixtures of experts.

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// Dense block, plain or gated: input along y, inner width along x, output along y; two all-reduces (F16).
TensorId append_dense_ffn(Builder& b, const models::Ffn& ffn, TensorId hidden);

/// Router, choice, chosen experts and shared experts. Experts lie over the whole rectangle, or dealt out to bands of
/// columns (`expert_bands`); in both cases the activations are already replicated along x, so dispatch moves only the
/// chosen indices and gates, and the reduction of the down projection combines the experts (F17).
TensorId append_moe(Builder& b, const models::Ffn& ffn, TensorId hidden);

/// One plain projection of hidden_size x hidden_size in a block's place, through a relayout back to y.
TensorId append_linear(Builder& b, TensorId hidden, models::WeightRole role, Part part);

/// Activation of `count` vectors of one inner width that lie at `up` (and `gate`), into `up`.
Step& append_activation(Builder& b, Part part, std::string_view label, TensorId gate, TensorId up, std::int64_t count,
                        std::int64_t length);

}  // namespace waferline::kernels
