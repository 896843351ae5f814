#include "kernels/layer_schedule.hpp"

#include <array>

#include "kernels/attention.hpp"
#include "kernels/ffn.hpp"
#include "kernels/latent_attention.hpp"
#include "kernels/norm.hpp"
#include "kernels/recurrent.hpp"

namespace waferline::kernels {

using models::Ffn;
using models::FfnKind;
using models::Layer;
using models::Mixer;
using models::MixerKind;
using models::WeightRole;

namespace {

constexpr NormText kPreNorm{"input_layernorm.weight", "norm.square_sum", "norm.reduce", "norm.scale"};
constexpr NormText kPostNorm{"post_norm.weight", "post_norm.square_sum", "post_norm.reduce", "post_norm.scale"};

TensorId append_mixer(Builder& b, const Mixer& mixer, TensorId hidden) {
  switch (mixer.kind) {
    case MixerKind::none:
      return kNoTensor;
    case MixerKind::mla:
      return append_latent_attention(b, mixer, hidden);
    case MixerKind::gated_delta_net:
      return append_gated_delta_net(b, mixer, hidden);
    case MixerKind::lightning:
      return append_lightning(b, mixer, hidden);
    case MixerKind::mamba1:
      return append_mamba1(b, mixer, hidden);
    case MixerKind::mamba2:
      return append_mamba2(b, mixer, hidden);
    case MixerKind::linear:
      return append_linear(b, hidden, WeightRole::attention, Part::output);
    default:
      return append_attention(b, mixer, hidden);
  }
}

TensorId append_ffn(Builder& b, const Ffn& ffn, TensorId hidden) {
  switch (ffn.kind) {
    case FfnKind::dense:
      return append_dense_ffn(b, ffn, hidden);
    case FfnKind::moe:
      return append_moe(b, ffn, hidden);
    case FfnKind::linear:
      return append_linear(b, hidden, WeightRole::dense_ffn, Part::ffn);
    default:
      return kNoTensor;
  }
}

/// Norms of a layer in the order in which blocks take them: first one before each block, then one after each.
class Norms {
 public:
  Norms(const Layer& layer, std::int64_t blocks)
      : layer_norm_(layer.layer_norm), before_(layer.norms), after_(layer.norms - blocks) {}

  /// The block's input: normalised, or (parallel blocks with one norm) what the block before it used.
  TensorId before(Builder& b, TensorId hidden) {
    if (before_ > 0) last_ = append_norm(b, kPreNorm, Axis::y, hidden, layer_norm_, b.storage().norm_bias());
    --before_;
    return last_ == kNoTensor ? hidden : last_;
  }
  TensorId after(Builder& b, TensorId out) {
    return after_-- > 0 ? append_norm(b, kPostNorm, Axis::y, out, layer_norm_, b.storage().norm_bias()) : out;
  }

 private:
  bool layer_norm_;
  std::int64_t before_;
  std::int64_t after_;
  TensorId last_ = kNoTensor;
};

void add_residual(Builder& b, TensorId hidden, TensorId out) {
  b.elementwise(Part::residual, ElementOp::add, "residual", hidden, out, hidden, 1, b.local(hidden));
}

TensorId hidden_vector(Builder& b, std::int64_t hidden_size) {
  return b.vector("hidden", Axis::y, b.split(Axis::y, hidden_size));
}

WeightRole role_of(const std::vector<models::Weight>& weights) {
  return weights.empty() ? WeightRole::other : weights.front().role;
}

/// Matrices and vectors that the layer holds beside its blocks: a matrix from and to the hidden vector, or one product.
void append_extras(Builder& b, const Layer& layer, TensorId hidden) {
  for (const models::Weight& weight : layer.weights) {
    if (weight.role != WeightRole::other || weight.name.ends_with("sinks")) continue;
    if (weight.cols == 1) {
      const TensorId w = b.weight_vector("extra", WeightRole::other, Axis::y, b.split(Axis::y, weight.elements()));
      b.elementwise(Part::residual, ElementOp::extra, "extra.vector", hidden, w, hidden, 1, b.local(w));
      continue;
    }
    const TensorId in = b.vector("extra.in", Axis::y, b.split(Axis::y, weight.cols));
    const TensorId out = b.vector("extra.out", Axis::x, b.split(Axis::x, weight.rows));
    const TensorId w =
        b.matrix("extra.weight", WeightRole::other, Axis::y, b.tensor(in).along_y, b.tensor(out).along_x, weight.count);
    b.gemv(Part::residual, "extra.gemv", in, w, out);
    b.reduce(Part::residual, StepKind::reduce_sum, "extra.reduce", Axis::y, out);
  }
}

}  // namespace

void build_layer(const Layer& layer, std::int64_t hidden_size, Extent extent, const Pass& pass, Workshop& shop,
                 Schedule& out) {
  out.clear();
  const LayerStorage storage(layer.weights);
  Builder b(out, extent, pass, shop.options, shop.plans, storage);
  const TensorId hidden = hidden_vector(b, hidden_size);
  Norms norms(layer, static_cast<std::int64_t>(layer.mixers.size() + layer.ffns.size()));
  const auto add_block = [&](const auto& block, auto append) {
    if (block.kind == decltype(block.kind){}) return;  // the first kind of either is `none`
    const TensorId result = append(b, block, norms.before(b, hidden));
    add_residual(b, hidden, norms.after(b, result));
  };
  std::size_t ffn = 0;
  for (const Mixer& mixer : layer.mixers) {
    add_block(mixer, append_mixer);
    // A layer with several mixers alternates them with its feed-forward blocks; what is left follows.
    if (layer.mixers.size() > 1 && ffn < layer.ffns.size()) add_block(layer.ffns[ffn++], append_ffn);
  }
  for (; ffn < layer.ffns.size(); ++ffn) add_block(layer.ffns[ffn], append_ffn);
  append_extras(b, layer, hidden);
}

void build_embedding(const models::Model& model, Extent extent, const Pass& pass, Workshop& shop, Schedule& out) {
  out.clear();
  const LayerStorage storage(model.embedding);
  Builder b(out, extent, pass, shop.options, shop.plans, storage);
  const TensorId token = b.statistic("token", b.everywhere(Axis::x), b.everywhere(Axis::y));
  const TensorId hidden = hidden_vector(b, model.hidden_size);
  const TensorId table = b.matrix("model.embed_tokens.weight", role_of(model.embedding), Axis::y,
                                  b.tensor(hidden).along_y, b.split(Axis::x, model.vocab_size));
  b.elementwise(Part::embedding, ElementOp::fetch_row, "embedding.fetch", token, table, hidden, 1, b.local(hidden));
  b.multicast(Part::embedding, "embedding.multicast", Axis::x, hidden);
}

void build_head(const models::Model& model, Extent extent, const Pass& pass, Workshop& shop, Schedule& out) {
  out.clear();
  const std::vector<models::Weight>& weights = model.head.empty() ? model.embedding : model.head;
  const LayerStorage storage(weights);
  Builder b(out, extent, pass, shop.options, shop.plans, storage);
  const TensorId hidden = hidden_vector(b, model.hidden_size);
  const bool layer_norm = !model.layers.empty() && model.layers.front().layer_norm;
  static constexpr NormText kFinal{"model.norm.weight", "head.square_sum", "head.norm_reduce", "head.norm"};
  const TensorId normed = model.final_norm.empty()
                              ? hidden
                              : append_norm(b, kFinal, Axis::y, hidden, layer_norm, model.final_norm.size() > 1);
  const Bands vocabulary = b.split(Axis::x, model.vocab_size);
  const TensorId w = b.matrix("lm_head.weight", role_of(weights), Axis::y, b.tensor(hidden).along_y, vocabulary);
  const TensorId logits = b.vector("logits", Axis::x, vocabulary);
  b.gemv(Part::head, "head.lm_head", normed, w, logits);
  b.reduce(Part::head, StepKind::reduce_sum, "head.reduce", Axis::y, logits, 1, true);
  const std::int64_t k = pass.sample_top_k;
  const TensorId candidates = b.statistic("candidates", b.everywhere(Axis::x, 2 * k), b.everywhere(Axis::y));
  const TensorId chosen = b.statistic("chosen", b.everywhere(Axis::x, 2 * k), b.everywhere(Axis::y));
  b.elementwise(Part::sampling, ElementOp::top_k, "sampling.local_top_k", logits, kNoTensor, candidates, k,
                b.local(logits));
  b.select(Part::sampling, "sampling.top_k", Axis::x, candidates, chosen);
  if (k > 1) {
    Step& draw =
        b.elementwise(Part::sampling, ElementOp::gate_experts, "sampling.draw", chosen, kNoTensor, chosen, 2, k);
    draw.exponentials = k * b.batch();
    draw.specials = b.batch();
  }
}

void build_transfer(std::int64_t hidden_size, Extent extent, std::int64_t distance, const Pass& pass, Workshop& shop,
                    Schedule& out) {
  out.clear();
  const LayerStorage storage;
  Builder b(out, extent, pass, shop.options, shop.plans, storage);
  const TensorId hidden = hidden_vector(b, hidden_size);
  // One stream: from the edge of this rectangle past the last column of the next, whose PEs all take a copy.
  b.stream(Part::transfer, "transfer.hidden", Axis::x, hidden, distance + extent.cols - 1);
}

void build_feedback(Extent extent, std::int64_t distance, const Pass& pass, Workshop& shop, Schedule& out) {
  out.clear();
  const LayerStorage storage;
  Builder b(out, extent, pass, shop.options, shop.plans, storage);
  const TensorId token = b.statistic("token", b.everywhere(Axis::x), b.everywhere(Axis::y));
  b.stream(Part::sampling, "sampling.feedback", Axis::x, token, distance + extent.rows + extent.cols - 2);
}

Layer released_waferllm_layer(std::int64_t hidden_size, std::int64_t intermediate_size) {
  Layer layer;
  Mixer mixer;
  mixer.kind = MixerKind::full_attention;
  mixer.heads = mixer.kv_heads = 1;
  mixer.head_dim = mixer.v_head_dim = hidden_size;
  mixer.rope = false;
  layer.mixers.push_back(mixer);
  Ffn ffn;
  ffn.kind = FfnKind::dense;
  ffn.width = intermediate_size;
  layer.ffns.push_back(ffn);
  layer.norms = 2;
  const auto add = [&layer](const char* name, WeightRole role, std::int64_t rows, std::int64_t cols) {
    layer.weights.push_back({name, role, 1, rows, cols, {.dtype = DType::fp16}});
  };
  for (const char* name :
       {"self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight", "self_attn.o_proj.weight"}) {
    add(name, WeightRole::attention, hidden_size, hidden_size);
  }
  add("mlp.up_proj.weight", WeightRole::dense_ffn, intermediate_size, hidden_size);
  add("mlp.gate_proj.weight", WeightRole::dense_ffn, intermediate_size, hidden_size);
  add("mlp.down_proj.weight", WeightRole::dense_ffn, hidden_size, intermediate_size);
  add("input_layernorm.weight", WeightRole::norm, hidden_size, 1);
  add("post_attention_layernorm.weight", WeightRole::norm, hidden_size, 1);
  return layer;
}

}  // namespace waferline::kernels
