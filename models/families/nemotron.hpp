#pragma once
// Builder of Nemotron-NAS models, whose blocks are pruned one by one.

#include "models/family.hpp"

namespace waferline::models {

/// Reads block_configs: per block an attention part (no_op, replace_with_linear, n_heads_in_group) and a feed-forward
/// part (no_op, replace_with_linear, ffn_mult). A part that is no_op takes its norm with it.
void build_nemotron_nas(Build& build);

}  // namespace waferline::models
