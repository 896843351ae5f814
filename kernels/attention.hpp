#pragma once
// Softmax attention of one new token over a cache that is dealt out over the rectangle.

#include <cstdint>

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// Positions that a mixer attends to, the new token included. Chunked attention counts a full chunk.
std::int64_t attended_positions(const models::Mixer& mixer, std::int64_t context_tokens);

/// Heads whose scores lie along x by head and along y by position, and what comes of them.
struct AttendedHeads {
  TensorId queries = kNoTensor;          ///< along x
  TensorId keys = kNoTensor;             ///< cache: dimensions along x, positions along y
  TensorId values = kNoTensor;           ///< cache
  TensorId rotated_queries = kNoTensor;  ///< second part of queries and keys that lies in tensors of its own
  TensorId rotated_keys = kNoTensor;
  Bands query_bands;
  Bands value_bands;  ///< of the result: query heads by value dimensions
  Bands positions;
  bool sinks = false;
  bool data_dependent = false;  ///< positions were chosen by value
};

/// Scores, softmax and A*V of the newest token over the caches; the result lies along x (F13).
/// Four all-reduces: scores within the band along x, maxima, sums and values along y.
TensorId append_attend(Builder& b, const AttendedHeads& heads);

/// Adds a bias of the same layout to a vector.
void append_bias(Builder& b, Part part, std::string_view label, std::string_view name, TensorId vector);

/// Grouped-query attention, input dealt out along y, output along y (F11 to F13).
/// Steps: QKV, biases, head norms, rotation, append and shift, scores, softmax, A*V, gate, output projection.
TensorId append_attention(Builder& b, const models::Mixer& mixer, TensorId hidden);

}  // namespace waferline::kernels
