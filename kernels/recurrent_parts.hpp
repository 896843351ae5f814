#pragma once
// Pieces that the recurrent mixers share.

#include <string_view>

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// A vector made by a projection of the hidden vector: name, label, weight.
TensorId project_into(Builder& b, std::string_view label, std::string_view weight, TensorId hidden, TensorId output);

/// Causal convolution over the last `kernel` inputs of each channel, then silu; the earlier inputs are state.
void append_convolution(Builder& b, std::string_view label, std::string_view weight, TensorId channels,
                        std::int64_t kernel);

/// Values along x become, within each band, key dimensions along y: what a PE needs to meet its rows of the state.
TensorId spread_over_rows(Builder& b, std::string_view label, std::string_view name, TensorId vector);

/// One value for each vector of a band, from the band's first PE to all of it.
TensorId spread_over_band(Builder& b, std::string_view label, std::string_view name, TensorId vector);

/// A matrix state: key dimensions along y, value heads with their dimensions along x.
struct MatrixState {
  TensorId state = kNoTensor;
  Bands values;  ///< along x
  Bands keys;    ///< along y
};
MatrixState add_matrix_state(Builder& b, Bands values, std::int64_t key_dim);

/// state *= decay of its head.
void append_decay(Builder& b, const MatrixState& s, TensorId decay);
/// state += key x value.
void append_update(Builder& b, const MatrixState& s, TensorId key, TensorId value);
/// vector^T state, all-reduced along y; the result lies along x.
TensorId append_read(Builder& b, const MatrixState& s, std::string_view label, std::string_view reduce_label,
                     TensorId vector);

/// values *= silu(gate) or sigmoid(gate).
void append_output_gate(Builder& b, std::string_view label, TensorId values, TensorId gate, bool silu);

/// Output projection from x to y with its all-reduce.
TensorId project_out(Builder& b, std::string_view weight, TensorId values, Bands hidden);

}  // namespace waferline::kernels
