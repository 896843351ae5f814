#include "kernels/emulate/seeded/seeded_layer.hpp"

#include <cmath>
#include <map>

#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

/// Which tensors steps multiply by.
std::vector<bool> matrix_flags(const Schedule& schedule) {
  std::vector<bool> flags(schedule.tensors.size(), false);
  for (const Step& step : schedule.steps) {
    if (step.kind == StepKind::gemv) flags[static_cast<std::size_t>(step.second)] = true;
  }
  return flags;
}

bool per_head(const Tensor& tensor) {
  return tensor.name.find("kv_b_proj") != std::string_view::npos;
}

/// Copies of one latent for bands of columns hold the same numbers.
bool holds_copies(const Tensor& tensor) {
  return tensor.name == "latent_cache" || tensor.name == "rope_cache" || tensor.name == "index_cache";
}

bool of_experts(const Tensor& tensor) {
  return tensor.name.starts_with("mlp.experts.");
}

std::int64_t routed_experts(const models::Layer& layer) {
  for (const models::Ffn& ffn : layer.ffns) {
    if (ffn.routed_experts > 0) return ffn.routed_experts;
  }
  return 0;
}

/// One expert's share of a dimension: bands have different experts.
std::int64_t of_one_expert(const Bands& bands) {
  return bands.heads > 1 ? bands.head_dim : bands.elements();
}

const models::Mixer* first_mixer(const models::Layer& layer) {
  return layer.mixers.empty() ? nullptr : &layer.mixers.front();
}

}  // namespace

Constants constants_of(const models::Layer& layer, float norm_epsilon) {
  Constants constants;
  constants.norm_epsilon = norm_epsilon;
  const models::Mixer* mixer = first_mixer(layer);
  if (mixer == nullptr) return constants;
  const std::int64_t width = mixer->kind == models::MixerKind::mla ? mixer->qk_nope_head_dim + mixer->qk_rope_head_dim
                                                                   : std::max<std::int64_t>(1, mixer->head_dim);
  constants.attention_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width)));
  if (mixer->kind == models::MixerKind::lightning) {
    for (std::int64_t head = 0; head < mixer->heads; ++head) {
      const double slope = std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(mixer->heads));
      constants.head_decays.push_back(static_cast<float>(std::exp(-slope)));
    }
  }
  return constants;
}

SeededLayer::SeededLayer(const SeededLayerSpec& spec, std::uint64_t seed, const MachineOptions& options)
    : spec_(spec), seed_(seed) {
  Workshop shop{spec.options, PlanCache(spec.collectives)};
  build_layer(spec.layer, spec.hidden_size, spec.mesh, spec.pass, shop, schedule_);
  MachineOptions chosen = options;
  chosen.accumulate = spec.options.accumulate;
  chosen.loop = spec.options.loop;
  chosen.weights_once_per_batch = spec.options.weights_once_per_batch;
  machine_ = std::make_unique<Machine>(schedule_, chosen, constants_of(spec.layer, spec.norm_epsilon));
  const std::vector<bool> is_matrix = matrix_flags(schedule_);
  for (std::size_t i = 0; i < schedule_.tensors.size(); ++i) {
    const Tensor& tensor = schedule_.tensors[i];
    const auto id = static_cast<TensorId>(i);
    if (tensor.use == SramUse::kv || tensor.use == SramUse::borrowed) fill_cache(id, tensor);
    if (tensor.use == SramUse::state) fill_state(id, tensor);
    if (tensor.use != SramUse::weights) continue;
    if (is_matrix[i] && of_experts(tensor)) {
      bind_experts(id, tensor, seed + 1000 * i, options.threads);
    } else if (is_matrix[i]) {
      bind_matrices(id, tensor, seed + 1000 * i, options.threads);
    } else {
      bind_vector(id, tensor);
    }
  }
  make_rotations();
  for (std::int64_t token = 0; token < spec.pass.batch; ++token) {
    const std::vector<float> hidden = normal(0, token, spec.hidden_size);
    std::copy(hidden.begin(), hidden.end(), machine_->buffer(0).of(token).begin());
  }
  round_in_place(schedule_.tensors[0].stored.dtype, machine_->buffer(0).values);
}

std::vector<float> SeededLayer::normal(TensorId id, std::int64_t copy, std::int64_t n) const {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(id),
                         static_cast<std::uint32_t>(copy)};
  std::mt19937 random(sequence);
  std::normal_distribution<float> distribution;
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) value = distribution(random);
  return values;
}

void SeededLayer::bind_matrices(TensorId id, const Tensor& tensor, std::uint64_t seed, int threads) {
  Bands inputs = tensor.along(tensor.input_axis);
  std::int64_t outputs = tensor.along(other(tensor.input_axis)).elements();
  std::int64_t count = tensor.copies;
  if (per_head(tensor)) {
    // One small matrix for each head: heads share the elements of the vector with heads innermost.
    const bool from_latent = tensor.input_axis == Axis::x;
    const Bands& latent = tensor.along_x;
    count = latent.heads * latent.group;
    const std::int64_t of_head = tensor.along_y.elements() / count;
    inputs = {1, from_latent ? latent.head_dim : of_head, 1, 1, 1, false};
    outputs = from_latent ? of_head : latent.head_dim;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    matrices_.push_back(std::make_unique<PanelMatrix>(seed + static_cast<std::uint64_t>(i), outputs,
                                                      tensor.stored.dtype, inputs, threads));
    bindings_.matrices[id].push_back(matrices_.back().get());
  }
}

void SeededLayer::bind_experts(TensorId id, const Tensor& tensor, std::uint64_t seed, int threads) {
  const Bands& inputs = tensor.along(tensor.input_axis);
  const Bands& outputs = tensor.along(other(tensor.input_axis));
  const std::int64_t count = routed_experts(spec_.layer);
  const std::int64_t different = spec_.different_experts > 0 ? std::min(count, spec_.different_experts) : count;
  std::map<std::pair<std::int64_t, std::int64_t>, const PanelMatrix*> made;  // by head of the inputs and by numbers
  for (std::int64_t expert = 0; expert < count; ++expert) {
    const std::int64_t head = Split{count, inputs.heads}.owner(expert);
    const PanelMatrix*& matrix = made[{head, expert % different}];
    if (matrix == nullptr) {
      matrices_.push_back(std::make_unique<PanelMatrix>(seed + static_cast<std::uint64_t>(expert % different),
                                                        of_one_expert(outputs), tensor.stored.dtype,
                                                        InputOrder(inputs, head), threads));
      matrix = matrices_.back().get();
    }
    bindings_.matrices[id].push_back(matrix);
  }
}

void SeededLayer::bind_vector(TensorId id, const Tensor& tensor) {
  const bool shared_norm = tensor.elements < tensor.along_x.elements() * tensor.along_y.elements();
  const std::int64_t each = shared_norm ? tensor.elements : tensor.along_x.elements() * tensor.along_y.elements();
  const std::int64_t of_all =
      of_experts(tensor) ? routed_experts(spec_.layer) * of_one_expert(tensor.along_x) * of_one_expert(tensor.along_y)
                         : tensor.copies * each;
  std::vector<float> values = normal(id, 0, of_all);
  // A state decays: the tensor holds -exp(A_log), which is taken once, when weights are laid out.
  if (tensor.name.ends_with("A_log")) {
    for (float& value : values) value = -0.05F - std::abs(value);
  }
  vectors_.push_back(std::make_unique<std::vector<float>>(std::move(values)));
  bindings_.vectors[id] = vectors_.back().get();
}

void SeededLayer::fill_cache(TensorId id, const Tensor& tensor) {
  const std::int64_t width = tensor.along_x.elements();
  const std::int64_t distinct = holds_copies(tensor) ? tensor.along_x.head_dim : width;
  const std::int64_t before = tensor.along_y.elements() - (tensor.use == SramUse::borrowed ? 0 : 1);
  for (std::int64_t copy = 0; copy < tensor.copies; ++copy) {
    const std::vector<float> values = normal(id, copy, before * distinct);
    std::vector<float> entries;
    for (std::int64_t position = 0; position < before; ++position) {
      const auto entry = values.begin() + position * distinct;
      for (std::int64_t first = 0; first < width; first += distinct)
        entries.insert(entries.end(), entry, entry + distinct);
    }
    caches_.push_back(std::make_unique<KvCache>(spec_.mesh.rows, width, tensor.stored.dtype));
    caches_.back()->deal(entries);
    bindings_.caches[id].push_back(caches_.back().get());
  }
}

void SeededLayer::fill_state(TensorId id, const Tensor& tensor) {
  std::vector<float> values;
  for (std::int64_t copy = 0; copy < tensor.copies; ++copy) {
    const std::vector<float> own = normal(id, copy, tensor.along_x.elements() * tensor.along_y.elements());
    values.insert(values.end(), own.begin(), own.end());
  }
  round_in_place(tensor.stored.dtype, values);
  vectors_.push_back(std::make_unique<std::vector<float>>(std::move(values)));
  bindings_.states[id] = vectors_.back().get();
}

void SeededLayer::make_rotations() {
  const models::Mixer* mixer = first_mixer(spec_.layer);
  const std::int64_t width = mixer == nullptr                        ? 0
                             : mixer->kind == models::MixerKind::mla ? mixer->qk_rope_head_dim
                                                                     : mixer->head_dim;
  Rotation rotation;
  const auto position = static_cast<double>(spec_.pass.context_tokens - 1);
  for (std::int64_t pair = 0; pair < width / 2; ++pair) {
    const double angle =
        position * std::pow(spec_.rope_theta, -2.0 * static_cast<double>(pair) / static_cast<double>(width));
    rotation.cosines.push_back(static_cast<float>(std::cos(angle)));
    rotation.sines.push_back(static_cast<float>(std::sin(angle)));
  }
  rotations_.assign(static_cast<std::size_t>(spec_.pass.batch), rotation);
}

void SeededLayer::take_token(const SeededLayer& from, std::int64_t token) {
  const auto hidden = from.machine().buffer(0).of(token);
  std::copy(hidden.begin(), hidden.end(), machine_->buffer(0).values.begin());
  for (auto& [id, caches] : bindings_.caches)
    *caches.front() = *from.bindings_.caches.at(id)[static_cast<std::size_t>(token)];
  for (auto& [id, state] : bindings_.states) {
    const std::vector<float>& all = *from.bindings_.states.at(id);
    const auto size = static_cast<std::ptrdiff_t>(state->size());
    state->assign(all.begin() + token * size, all.begin() + (token + 1) * size);
  }
}

Schedule SeededLayer::schedule_of_choice() const {
  ScheduleOptions options = spec_.options;
  options.expert_loads = machine_->expert_loads();
  Workshop shop{options, PlanCache(spec_.collectives)};
  Schedule schedule;
  build_layer(spec_.layer, spec_.hidden_size, spec_.mesh, spec_.pass, shop, schedule);
  return schedule;
}

void SeededLayer::run() {
  machine_->run(bindings_, rotations_);
}

std::int64_t SeededLayer::host_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& matrix : matrices_) bytes += matrix->host_bytes();
  return bytes;
}

}  // namespace waferline::kernels::emulate
