#pragma once
// Multi-head latent attention, weights absorbed, with the optional sparse-attention indexer.

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// Largest divisor of `heads` that is at most `asked` and at most the columns: copies of the latent cache along x.
std::int64_t latent_copies(std::int64_t heads, std::int64_t asked, std::int64_t columns);

/// Attention over one latent vector a position, which serves all heads (F14). Input and output along y.
///
/// The cache is dealt out with latent dimensions along x and positions along y. `latent_copies` bands of columns hold
/// one copy each and serve heads / copies heads: head h belongs to band h mod copies. Queries and values between the
/// absorbed matrices lie along y dimension by dimension, heads innermost, so that every run of them meets all bands
/// alike.
TensorId append_latent_attention(Builder& b, const models::Mixer& mixer, TensorId hidden);

}  // namespace waferline::kernels
