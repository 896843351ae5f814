#include "tests/cross/emulate/random_layer.hpp"

#include <algorithm>
#include <array>

#include "tests/support/catch.hpp"

namespace waferline::tests {

using namespace kernels;
using namespace kernels::emulate;
using models::WeightRole;

namespace {

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

models::Mixer grouped_queries(std::mt19937& random) {
  models::Mixer mixer;
  mixer.kind = models::MixerKind::full_attention;
  mixer.kv_heads = between(random, 1, 5);
  mixer.heads = mixer.kv_heads * between(random, 1, 4);
  mixer.head_dim = mixer.v_head_dim = 2 * between(random, 1, 12);
  mixer.qkv_bias = between(random, 0, 1) == 1;
  mixer.qk_norm = between(random, 0, 1) == 1;
  return mixer;
}

models::Mixer latent(std::mt19937& random) {
  models::Mixer m;
  m.kind = models::MixerKind::mla;
  m.heads = between(random, 1, 12);
  m.q_lora_rank = between(random, 0, 1) * between(random, 2, 30);
  m.kv_lora_rank = between(random, 2, 40);
  m.qk_nope_head_dim = between(random, 1, 12);
  m.qk_rope_head_dim = 2 * between(random, 1, 6);
  m.head_dim = m.qk_nope_head_dim + m.qk_rope_head_dim;
  m.v_head_dim = between(random, 1, 12);
  if (between(random, 0, 2) == 0) {  // chooses all positions there are
    m.index_heads = between(random, 1, 6);
    m.index_head_dim = between(random, 1, 20);
    m.index_topk = 1000;
  }
  return m;
}

models::Mixer recurrent(std::mt19937& random, models::MixerKind kind) {
  models::Mixer m;
  m.kind = kind;
  m.heads = between(random, 1, 8);
  m.head_dim = between(random, 1, 12);
  m.linear_key_heads = between(random, 1, 6);
  m.linear_value_heads = m.linear_key_heads * between(random, 1, 3);
  m.linear_key_head_dim = between(random, 1, 12);
  m.linear_value_head_dim = between(random, 1, 12);
  m.conv_kernel = between(random, 2, 4);
  m.d_state = between(random, 1, 20);
  m.n_groups = m.heads % 2 == 0 && between(random, 0, 1) == 1 ? 2 : 1;
  m.d_inner = m.heads * m.head_dim;
  m.dt_rank = between(random, 1, 12);
  return m;
}

models::Mixer random_mixer(std::mt19937& random, models::MixerKind kind) {
  switch (kind) {
    case models::MixerKind::full_attention:
      return grouped_queries(random);
    case models::MixerKind::mla:
      return latent(random);
    default:
      return recurrent(random, kind);
  }
}

models::Ffn random_ffn(std::mt19937& random) {
  models::Ffn ffn;
  ffn.width = between(random, 2, 130);
  ffn.kind = between(random, 0, 2) == 0 ? models::FfnKind::moe : models::FfnKind::dense;
  ffn.gated = between(random, 0, 2) > 0;
  ffn.bias = between(random, 0, 2) == 0;
  if (ffn.kind == models::FfnKind::moe) {
    ffn.routed_experts = between(random, 2, 9);
    ffn.active_experts = between(random, 1, std::min<std::int64_t>(3, ffn.routed_experts));
    ffn.expert_width = ffn.width;
    ffn.shared_width = between(random, 0, 1) * between(random, 2, 30);
    ffn.shared_gate = ffn.shared_width > 0 && between(random, 0, 1) == 1;
  }
  return ffn;
}

/// Whether the counts of a layer depend on which experts its router chooses.
bool depends_on_choice(const LayerCase& of) {
  if (of.layer.ffns[0].kind != models::FfnKind::moe) return false;
  return of.options.expert_bands > 1 || (of.options.weights_once_per_batch && of.pass.batch > 1);
}

bool none_exceeds(const StepCounters& counted, const StepCounters& worst) {
  return counted.instructions <= worst.instructions && counted.length <= worst.length && counted.macs <= worst.macs &&
         counted.exponentials <= worst.exponentials && counted.weight_bytes <= worst.weight_bytes &&
         counted.dequantised <= worst.dequantised && counted.words == worst.words &&
         counted.link_wavelets == worst.link_wavelets && counted.combines == worst.combines;
}

}  // namespace

LayerCase random_layer(std::mt19937& random, std::int64_t most_rows, std::int64_t most_cols) {
  return random_layer_with(random, models::MixerKind::full_attention, most_rows, most_cols);
}

LayerCase random_layer_with(std::mt19937& random, models::MixerKind kind, std::int64_t most_rows,
                            std::int64_t most_cols) {
  LayerCase chosen;
  chosen.mesh = {between(random, 1, most_rows), between(random, 1, most_cols)};
  chosen.pass.batch = between(random, 1, 3);
  chosen.pass.context_tokens = between(random, 1, 40);
  const DType dtype =
      std::array{DType::fp32, DType::fp16, DType::bf16}[static_cast<std::size_t>(between(random, 0, 2))];
  chosen.options.accumulate = chosen.options.activation = chosen.options.kv = dtype;
  chosen.options.loop = between(random, 0, 1) == 0 ? LoopOrder::per_input : LoopOrder::shorter;
  chosen.options.sum_with_values = between(random, 0, 3) == 0;
  chosen.options.latent_copies = between(random, 1, 4);
  chosen.collectives.levels = static_cast<int>(between(random, 1, 2));
  chosen.hidden_size = between(random, 3, 90);
  chosen.layer.mixers.push_back(random_mixer(random, kind));
  chosen.layer.ffns.push_back(random_ffn(random));
  chosen.layer.norms = between(random, 0, 3) == 0 ? 4 : 2;
  chosen.layer.layer_norm = between(random, 0, 2) == 0;
  chosen.layer.weights.push_back({"input_layernorm.bias", WeightRole::norm, 1, 1, 1, {}});
  if (chosen.layer.ffns[0].kind == models::FfnKind::moe) {
    chosen.options.expert_bands = between(random, 1, 4);
    chosen.options.weights_once_per_batch = between(random, 0, 1) == 1;
  }
  store_as(chosen, dtype);
  return chosen;
}

LayerCase random_experts(std::mt19937& random, std::int64_t most_rows, std::int64_t most_cols) {
  LayerCase chosen = random_layer(random, most_rows, most_cols);
  models::Ffn& ffn = chosen.layer.ffns[0];
  ffn.kind = models::FfnKind::moe;
  ffn.routed_experts = between(random, 1, 17);
  ffn.active_experts = between(random, 1, std::min<std::int64_t>(5, ffn.routed_experts));
  ffn.expert_width = between(random, 1, 60);
  ffn.shared_width = between(random, 0, 1) * between(random, 1, 30);
  ffn.shared_gate = ffn.shared_width > 0 && between(random, 0, 1) == 1;
  ffn.latent_size = between(random, 0, 2) == 0 ? between(random, 2, 40) : 0;
  chosen.pass.batch = between(random, 1, 4);
  chosen.options.expert_bands = between(random, 1, 7);
  chosen.options.weights_once_per_batch = between(random, 0, 1) == 1;
  return chosen;
}

void store_as(LayerCase& of, DType dtype) {
  models::StoredType matrix;
  matrix.dtype = dtype;
  if (dtype == DType::int8 || dtype == DType::int4) {
    matrix.block_rows = 1;
    matrix.block_cols = 32;
    matrix.scale_bits = 16;
  }
  models::StoredType vector;
  vector.dtype = of.options.accumulate;
  std::vector<models::Weight> kept;
  for (const models::Weight& weight : of.layer.weights) {
    if (weight.name != "role") kept.push_back(weight);
  }
  for (models::Weight& weight : kept) weight.stored = vector;
  for (const WeightRole role : {WeightRole::attention, WeightRole::dense_ffn, WeightRole::routed_expert,
                                WeightRole::shared_expert, WeightRole::router}) {
    kept.push_back({"role", role, 1, 1, 1, matrix});
  }
  for (const WeightRole role : {WeightRole::norm, WeightRole::bias, WeightRole::state_space})
    kept.push_back({"role", role, 1, 1, 1, vector});
  of.layer.weights = kept;
}

std::string shown(const LayerCase& of) {
  const models::Mixer& m = of.layer.mixers[0];
  const models::Ffn& f = of.layer.ffns[0];
  std::string text = "mesh " + std::to_string(of.mesh.rows) + " x " + std::to_string(of.mesh.cols);
  const auto add = [&text](const char* name, std::int64_t value) {
    text += std::string(", ") + name + " " + std::to_string(value);
  };
  add("batch", of.pass.batch);
  add("context", of.pass.context_tokens);
  add("hidden", of.hidden_size);
  add("mixer kind", static_cast<std::int64_t>(m.kind));
  add("heads", m.heads);
  add("kv heads", m.kv_heads);
  add("head dim", m.head_dim);
  add("latent", m.kv_lora_rank);
  add("query rank", m.q_lora_rank);
  add("copies", of.options.latent_copies);
  add("index heads", m.index_heads);
  add("ffn kind", static_cast<std::int64_t>(f.kind));
  add("width", f.kind == models::FfnKind::moe ? f.expert_width : f.width);
  add("experts", f.routed_experts);
  add("chosen", f.active_experts);
  add("expert bands", of.options.expert_bands);
  add("latent of experts", f.latent_size);
  add("shared width", f.shared_width);
  add("once", of.options.weights_once_per_batch ? 1 : 0);
  add("gated", f.gated ? 1 : 0);
  add("bias", f.bias ? 1 : 0);
  add("layer norm", of.layer.layer_norm ? 1 : 0);
  return text + ", " + std::string(name(of.options.accumulate));
}

std::string shown(const StepCounters& c) {
  std::string text;
  for (const std::int64_t n : {c.instructions, c.length, c.macs, c.exponentials, c.specials, c.weight_bytes,
                               c.dequantised, c.line, c.words, c.wavelets, c.link_wavelets, c.combines, c.repeats}) {
    text += std::to_string(n) + " ";
  }
  return text;
}

void check_counters(const LayerRun& run) {
  const bool of_choice = depends_on_choice(run.spec());
  const Schedule known = run.schedule_of_choice();
  REQUIRE(known.steps.size() == run.schedule().steps.size());
  for (std::size_t i = 0; i < known.steps.size(); ++i) {
    const Step& step = known.steps[i];
    const StepCounters& counted = run.machine().counters()[i];
    const StepCounters worst = closed_form(run.schedule().steps[i]);
    INFO("step " << step.label << "\ncounted     " << shown(counted) << "\nclosed form " << shown(closed_form(step))
                 << "\nworst case  " << shown(worst));
    CHECK(counted == closed_form(step));
    CHECK((of_choice ? none_exceeds(counted, worst) : counted == worst));
  }
}

}  // namespace waferline::tests
