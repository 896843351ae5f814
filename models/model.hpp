#pragma once
// A decoder-only language model as far as decode speed is concerned: its layers, what surrounds them, how they are
// stored.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/units.hpp"
#include "models/layer.hpp"

namespace waferline::models {

/// Stored form of a group of weights: bits per element plus block scales.
struct StoredType {
  DType dtype = DType::bf16;
  std::int64_t block_rows = 0;  ///< elements that share a scale: block_rows x block_cols; 0: no scales
  std::int64_t block_cols = 0;
  int scale_bits = 0;     ///< bits of one scale
  int tensor_scales = 0;  ///< fp32 scales per tensor beside the block scales
  bool operator==(const StoredType&) const = default;
};

/// Parameters by part. `total` counts what a checkpoint holds under the file's own rules; see `notes` of the model.
struct ParameterCounts {
  std::int64_t decoder = 0;    ///< layers, final norm and, as the family's formula has it, nothing else
  std::int64_t embedding = 0;  ///< input embedding (and learned positions)
  std::int64_t head = 0;       ///< output head if stored apart from the embedding
  std::int64_t mtp = 0;
  std::int64_t vision = 0;
  std::int64_t scales = 0;   ///< quantisation scales
  std::int64_t buffers = 0;  ///< masks, rotary tables
  std::int64_t total() const { return decoder + embedding + head + mtp + vision + scales + buffers; }
  bool operator==(const ParameterCounts&) const = default;
};

/// A model ready to be placed and timed.
struct Model {
  std::string name;
  std::string family;       ///< the rule that read it, e.g. "llama", "deepseek_v3"
  std::string source_file;  ///< where it was read from
  std::int64_t hidden_size = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;  ///< 0: the file does not say
  bool tied_embeddings = false;
  std::vector<Layer> layers;
  std::vector<Weight> embedding;  ///< input embedding and learned positions
  std::vector<Weight> head;       ///< output head (also when tied: then it is the embedding, read but not stored again)
  std::vector<Weight> final_norm;
  ParameterCounts parameters;
  std::map<WeightRole, StoredType> stored;  ///< how each role is stored
  StoredType stored_embedding;
  StoredType stored_head;
  DType kv_dtype = DType::bf16;
  std::vector<std::string> notes;  ///< what a reader should know: which key or rule supplied what
};

}  // namespace waferline::models
