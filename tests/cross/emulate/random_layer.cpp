#include "tests/cross/emulate/random_layer.hpp"

#include <cmath>

namespace waferline::tests {

using namespace kernels;
using namespace kernels::emulate;
using models::WeightRole;

namespace {

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

std::vector<float> normal(std::mt19937& random, std::int64_t n) {
  std::normal_distribution<float> distribution;
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) value = distribution(random);
  return values;
}

}  // namespace

LayerCase random_layer(std::mt19937& random, std::int64_t most_rows, std::int64_t most_cols) {
  LayerCase chosen;
  chosen.mesh = {between(random, 1, most_rows), between(random, 1, most_cols)};
  chosen.pass.batch = between(random, 1, 3);
  chosen.pass.context_tokens = between(random, 1, 40);
  const DType dtype =
      std::array{DType::fp32, DType::fp16, DType::bf16}[static_cast<std::size_t>(between(random, 0, 2))];
  chosen.options.accumulate = chosen.options.activation = chosen.options.kv = dtype;
  chosen.options.loop = between(random, 0, 1) == 0 ? LoopOrder::per_input : LoopOrder::shorter;
  chosen.options.sum_with_values = between(random, 0, 3) == 0;
  chosen.collectives.levels = static_cast<int>(between(random, 1, 2));
  models::Mixer mixer;
  mixer.kind = models::MixerKind::full_attention;
  mixer.kv_heads = between(random, 1, 5);
  mixer.heads = mixer.kv_heads * between(random, 1, 4);
  mixer.head_dim = mixer.v_head_dim = 2 * between(random, 1, 12);
  mixer.qkv_bias = between(random, 0, 1) == 1;
  mixer.qk_norm = between(random, 0, 1) == 1;
  chosen.hidden_size = between(random, 3, 90);
  models::Ffn ffn;
  ffn.width = between(random, 2, 130);
  ffn.kind = between(random, 0, 2) == 0 ? models::FfnKind::moe : models::FfnKind::dense;
  if (ffn.kind == models::FfnKind::moe) {
    ffn.routed_experts = between(random, 2, 9);
    ffn.active_experts = between(random, 1, std::min<std::int64_t>(3, ffn.routed_experts));
    ffn.expert_width = ffn.width;
    ffn.shared_width = between(random, 0, 1) * between(random, 2, 30);
  }
  chosen.layer.mixers.push_back(mixer);
  chosen.layer.ffns.push_back(ffn);
  chosen.layer.norms = 2;
  for (const WeightRole role : {WeightRole::attention, WeightRole::dense_ffn, WeightRole::routed_expert,
                                WeightRole::shared_expert, WeightRole::router, WeightRole::norm, WeightRole::bias}) {
    models::StoredType stored;
    stored.dtype = dtype;
    chosen.layer.weights.push_back({"role", role, 1, 1, 1, stored});
  }
  return chosen;
}

LayerRun::LayerRun(const LayerCase& of, std::uint64_t seed, const MachineOptions& options) {
  Workshop shop{of.options, PlanCache(of.collectives)};
  build_layer(of.layer, of.hidden_size, of.mesh, of.pass, shop, schedule_);
  MachineOptions chosen = options;
  chosen.accumulate = of.options.accumulate;
  chosen.loop = of.options.loop;
  Constants constants;
  constants.attention_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(of.layer.mixers[0].head_dim)));
  machine_ = std::make_unique<Machine>(schedule_, chosen, constants);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::vector<bool> is_matrix(schedule_.tensors.size(), false);
  for (const Step& step : schedule_.steps) {
    if (step.kind == StepKind::gemv) is_matrix[static_cast<std::size_t>(step.second)] = true;
  }
  for (std::size_t i = 0; i < schedule_.tensors.size(); ++i) {
    const Tensor& tensor = schedule_.tensors[i];
    const auto id = static_cast<TensorId>(i);
    if (tensor.use == SramUse::kv) {
      for (std::int64_t copy = 0; copy < of.pass.batch; ++copy) {
        caches_.push_back(std::make_unique<KvCache>(of.mesh.rows, tensor.along_x.elements(), tensor.stored.dtype));
        for (std::int64_t position = 0; position + 1 < of.pass.context_tokens; ++position) {
          caches_.back()->append(normal(random, tensor.along_x.elements()));
          caches_.back()->shift(position + 1);
        }
        bindings_.caches[id].push_back(caches_.back().get());
      }
    }
    if (tensor.use != SramUse::weights) continue;
    if (is_matrix[i]) {
      for (std::int64_t copy = 0; copy < tensor.copies; ++copy) {
        matrices_.push_back(std::make_unique<PanelMatrix>(seed + 100 * i + static_cast<std::uint64_t>(copy),
                                                          tensor.along(other(tensor.input_axis)).elements(),
                                                          tensor.stored.dtype, tensor.along(tensor.input_axis), 1));
        bindings_.matrices[id].push_back(matrices_.back().get());
      }
    } else {
      vectors_.push_back(
          std::make_unique<std::vector<float>>(normal(random, tensor.along_x.elements() * tensor.along_y.elements())));
      bindings_.vectors[id] = vectors_.back().get();
    }
  }
  for (std::int64_t copy = 0; copy < of.pass.batch; ++copy) {
    Rotation& rotation = rotations_.emplace_back();
    for (std::int64_t pair = 0; pair < of.layer.mixers[0].head_dim / 2; ++pair) {
      const double angle = static_cast<double>(of.pass.context_tokens) * std::pow(0.5, static_cast<double>(pair));
      rotation.cosines.push_back(static_cast<float>(std::cos(angle)));
      rotation.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  machine_->buffer(0).values = normal(random, of.pass.batch * of.hidden_size);
}

void LayerRun::run() {
  machine_->run(bindings_, rotations_);
}

}  // namespace waferline::tests
