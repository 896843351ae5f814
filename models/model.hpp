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

/// Parameters by part. `total` counts what a checkpoint holds under the file's own rules; see `notes` of the model.
struct ParameterCounts {
  std::int64_t decoder = 0;    ///< layers, final norm and, as the family's formula has it, nothing else
  std::int64_t embedding = 0;  ///< input embedding (and learned positions)
  std::int64_t head = 0;       ///< output head if stored apart from the embedding
  std::int64_t mtp = 0;
  std::int64_t vision = 0;
  std::int64_t scales = 0;  ///< quantisation scales
  std::int64_t buffers =
      0;  ///< stored tensors without information of their own: masks, rotary tables, copies of tied weights
  std::int64_t total() const { return decoder + embedding + head + mtp + vision + scales + buffers; }
  bool operator==(const ParameterCounts&) const = default;
};

/// Which key of the file supplied a size.
struct KeySource {
  std::string what;   ///< the usual Hugging Face name, e.g. "num_hidden_layers"
  std::string key;    ///< the key as the file spells it, e.g. "n_layer" or "text_config.num_hidden_layers"
  std::string value;  ///< as written
  bool operator==(const KeySource&) const = default;
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
  std::vector<Layer> mtp_layers;  ///< multi-token-prediction layers the checkpoint holds
  std::vector<Weight> mtp_extra;  ///< what surrounds them: joining projection, norms, second embedding and head
  std::vector<Weight> vision;     ///< vision tower and projector; not read when decoding text
  std::vector<Weight> buffers;    ///< see ParameterCounts::buffers
  ParameterCounts parameters;
  std::map<WeightRole, StoredType> stored;  ///< how most weights of each role are stored; exact: Weight::stored
  StoredType stored_embedding;
  StoredType stored_head;
  DType kv_dtype = DType::bf16;
  std::vector<KeySource> key_sources;  ///< which key supplied each size
  std::vector<std::string> notes;      ///< what a reader should know: which key or rule supplied what
};

}  // namespace waferline::models
