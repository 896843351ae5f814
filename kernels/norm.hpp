#pragma once
// Normalisations: over the hidden vector, over heads, over a latent.

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// Labels and name of one norm's steps.
struct NormText {
  std::string_view weight;
  std::string_view square_sum;
  std::string_view reduce;
  std::string_view scale;
};

/// RMSNorm, or LayerNorm, of a vector dealt out along `axis`; returns the normalised vector.
/// `bias`: a LayerNorm with one. One all-reduce of one word (LayerNorm: two) a token along `axis`.
TensorId append_norm(Builder& b, const NormText& text, Axis axis, TensorId input, bool layer_norm, bool bias);

/// What one norm runs over.
enum class NormOver : std::uint8_t {
  vector,  ///< each vector of head_dim, with one weight for each dimension
  head,    ///< all vectors of one head together, with one weight for each element
  all      ///< all elements of the tensor, likewise
};

/// A vector that is normalised head by head, in place.
struct NormedHeads {
  TensorId id = kNoTensor;
  std::string_view weight;      ///< empty: no weight (L2 norm)
  std::string_view square_sum;  ///< labels
  std::string_view scale;
};

/// Norms of tensors that are dealt out in bands along `axis`, with one all-reduce for all of `heads` together: within
/// the bands, or (`all`) over the whole line.
void append_head_norms(Builder& b, Part part, std::span<const NormedHeads> heads, std::string_view reduce_label,
                       Axis axis, NormOver over);

}  // namespace waferline::kernels
