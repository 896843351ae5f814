#pragma once
// A family: the rule by which one group of model types is read. Most are a row of traits read by the same builder;
// those whose layers are put together in another way bring a builder of their own.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/attention.hpp"
#include "models/ffn.hpp"
#include "models/keys.hpp"
#include "models/layout.hpp"

namespace waferline::models {

/// Normalisations of width hidden_size.
struct NormTraits {
  int per_layer = 2;
  bool layer_norm = false;  ///< LayerNorm (mean and variance) instead of RMSNorm
  Switch bias{nullptr, false};
  Switch one_if{nullptr, false};  ///< one norm a layer where this is on (parallel residuals of StableLM)
};

/// Layers for multi-token prediction that a checkpoint holds beside the decoder's.
struct MtpTraits {
  bool stored = false;        ///< false: whatever the keys say, published checkpoints hold none
  int assumed = 0;            ///< layers where no key says how many (Qwen3-Next)
  bool repeats_ends = false;  ///< embedding and head are stored again with each
};

struct Family;

/// What a builder works on. Builders add layers in the order in which a token passes through them.
struct Build {
  Keys& keys;
  const Family& family;
  Model& model;
  std::int64_t layers = 0;
  std::int64_t hidden_size() const { return model.hidden_size; }
};

struct Family {
  std::string_view name;
  std::vector<std::string_view> model_types;
  AttentionTraits attention = {};
  FfnTraits ffn = {};
  NormTraits norms = {};
  LayoutTraits layout = {};
  MtpTraits mtp = {};
  bool tied = false;  ///< where tie_word_embeddings is absent
  Switch head_bias{nullptr, false};
  bool positions = false;   ///< learned positions are stored
  int extra_positions = 0;  ///< beyond max_position_embeddings (OPT: 2)
  bool embedding_norm = false;
  std::string layer_prefix = "model.layers";
  const char* layers_key = nullptr;  ///< the one key that counts layers where two could (LongCat)
  bool layers_from_blocks = false;   ///< the layers are counted by a list of blocks, which the builder reads
  void (*build)(Build&) = nullptr;   ///< nullptr: build_standard
  const char* note = nullptr;        ///< what a reader should know about this rule
};

/// All families, in the order of docs/model/50-models.md.
const std::vector<Family>& families();

/// Model types that are refused by name, with the reason.
struct Refusal {
  std::string_view model_type;
  std::string_view reason;
};
const std::vector<Refusal>& refusals();

/// Which layer has which feed-forward block.
struct FfnPlan {
  Ffn dense;
  Ffn moe;
  std::vector<bool> expert_layers;  ///< one mark a layer
  const Ffn& at(std::size_t layer) const { return expert_layers[layer] ? moe : dense; }
};

/// Reads dense and expert blocks as the family's traits and the file's keys have them.
FfnPlan plan_ffns(Build& build);

/// Appends a feed-forward block and its weights to the layer.
void add_ffn(Layer& layer, const Build& build, const Ffn& ffn);

/// Layers of one mixer and one feed-forward block each, as the traits and the layout keys have them.
void build_standard(Build& build);

/// Appends `count` normalisations of width hidden_size to the layer.
void add_norms(Layer& layer, std::int64_t hidden_size, int count, const NormTraits& traits, bool bias);

/// A softmax layer of the family's own kind: latent if the file has kv_lora_rank, else grouped.
Mixer family_attention(Build& build);

}  // namespace waferline::models
