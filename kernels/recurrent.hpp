#pragma once
// Mixers with a recurrent state instead of a cache: their work does not grow with the context.

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// Gated delta rule, lightning attention and Mamba-2: a matrix state of key_dim x value_dim for each value head (F18).
/// Value heads lie in bands along x with their dimensions, key dimensions along y: reading the state reduces along y.
TensorId append_gated_delta_net(Builder& b, const models::Mixer& mixer, TensorId hidden);
TensorId append_lightning(Builder& b, const models::Mixer& mixer, TensorId hidden);
TensorId append_mamba2(Builder& b, const models::Mixer& mixer, TensorId hidden);

/// Mamba-1: d_state values for each of d_inner channels; channels along x, state along y.
TensorId append_mamba1(Builder& b, const models::Mixer& mixer, TensorId hidden);

}  // namespace waferline::kernels
