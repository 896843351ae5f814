#pragma once
// Everything that `inspect` shows about a model, as plain numbers.

#include <cstdint>
#include <string>
#include <vector>

#include "models/kv.hpp"
#include "models/model.hpp"
#include "models/overrides.hpp"

namespace waferline::models {

/// Parameters that one token touches, in the three ways in which model cards count them. Routed experts count as many
/// as a token uses; a tied table counts once where embedding and head are both counted, and as the head without the
/// embedding, since tying saves memory and no traffic.
struct ActiveCounts {
  std::int64_t with_embedding_and_head = 0;
  std::int64_t minus_embedding = 0;
  std::int64_t minus_both = 0;
  bool operator==(const ActiveCounts&) const = default;
};

/// One layer's line.
struct LayerRow {
  std::string mixer;  ///< "full attention 32/8 x 128"
  std::string ffn;    ///< "gated 14336", "8 of 256 experts x 2048 + shared 2048"
  std::int64_t parameters = 0;
  Bytes weight_bytes;
  Bytes kv_bytes_per_token;  ///< while the layer's window, if it has one, is not full
  bool operator==(const LayerRow&) const = default;
};

/// A model, summed up.
struct Inspection {
  std::string name;
  std::string family;
  std::string source_file;
  std::int64_t hidden_size = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;  ///< 0: not stated
  bool tied_embeddings = false;
  std::int64_t layers = 0;
  ParameterCounts parameters;
  std::int64_t read_per_token =
      0;  ///< decoder as one token uses it, and the head: all that decoding reads but one embedding row
  ActiveCounts active;
  Bytes weight_bytes;            ///< decoder, embedding and head with their scales: what decoding must hold
  Bytes weight_bytes_per_token;  ///< what decoding reads of them for one token
  Bytes checkpoint_bytes;        ///< the same with prediction layers, vision tower and buffers
  std::string weight_types;      ///< "bf16", or "mxfp4 98.1 %, bf16 1.9 %" by parameters
  std::string kv_type;
  std::int64_t context_tokens = 0;
  KvFigures kv;
  std::vector<LayerRow> per_layer;
  std::vector<KeySource> key_sources;
  std::vector<std::string> notes;
};

/// Elements of a weight that one token reads: of routed experts, as many as are active.
std::int64_t read_elements(const Weight& weight, const Layer& layer);
/// Bytes as stored that one token reads of a weight, scales included.
Bytes read_bytes(const Weight& weight, const Layer& layer);

/// Sums of the decoder and the head for one token; see Inspection.
std::int64_t read_per_token(const Model& model);
Bytes weight_bytes_per_token(const Model& model);
/// Decoder, embedding and head as stored.
Bytes weight_bytes(const Model& model);

/// Short texts for one mixer and one feed-forward block.
std::string describe(const Mixer& mixer);
std::string describe(const Ffn& ffn);

/// Sums up a model at a context of `context_tokens`, stored as the overrides have it.
/// Errors: ConfigError for a negative context or weight bits that are not offered.
Inspection inspect(const Model& model, std::int64_t context_tokens, const StorageOverrides& overrides = {});

}  // namespace waferline::models
