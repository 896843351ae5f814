#include "kernels/emulate/decode.hpp"

#include <fmt/format.h>

#include <map>

#include "arch/error.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

/// Stable 64-bit hash of a name (FNV-1a), so that each seeded tensor has its own numbers on every host.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3ULL;
  return hash;
}

/// Tensors that steps multiply by or fetch rows from; all other weights are vectors.
std::vector<bool> matrix_flags(const Schedule& schedule) {
  std::vector<bool> flags(schedule.tensors.size(), false);
  for (const Step& step : schedule.steps) {
    const bool product = step.kind == StepKind::gemv || step.op == ElementOp::fetch_row;
    if (product && step.second != kNoTensor) flags[static_cast<std::size_t>(step.second)] = true;
  }
  return flags;
}

/// Whether the outputs of a projection, or the elements of a vector, are dimensions that a rotation pairs.
bool is_rotated(const std::string& name) {
  return name.find("q_proj") != std::string::npos || name.find("k_proj") != std::string::npos ||
         name.find("q_norm") != std::string::npos || name.find("k_norm") != std::string::npos;
}

/// The PEs hold the two halves of a rotary pair side by side: dimension 2 j + r of a head is j + r head_dim / 2 of the
/// file.
std::int64_t paired_row(std::int64_t row, std::int64_t head_dim) {
  const std::int64_t dim = row % head_dim;
  return row - dim + dim / 2 + (dim % 2) * (head_dim / 2);
}

}  // namespace

struct Decoder::LayerState {
  std::vector<std::unique_ptr<PanelMatrix>> matrices;
  std::vector<std::unique_ptr<std::vector<float>>> vectors;
  std::unique_ptr<KvCache> keys;
  std::unique_ptr<KvCache> values;
  Bindings bindings;
};

struct Decoder::Surround {
  std::unique_ptr<PanelMatrix> table;
  std::unique_ptr<PanelMatrix> head;
  std::vector<float> final_norm;
};

Decoder::Decoder(const DecoderSpec& spec, const WeightSource* source, std::uint64_t seed, const DecodeOptions& options)
    : spec_(spec),
      source_(source),
      seed_(seed),
      options_(options),
      shop_{options.software, PlanCache(options.collectives)},
      surround_(std::make_unique<Surround>()) {
  if (options.layers > 0) spec_.num_hidden_layers = std::min(spec_.num_hidden_layers, options.layers);
  model_ = to_model(spec_, options.weights, options.activations);
  shop_.options.activation = options.activations;
  shop_.options.accumulate = options.activations;
  shop_.options.kv = options.activations;
  Schedule schedule;
  build_layer(model_.layers.front(), spec_.hidden_size, options_.mesh, pass_now(), shop_, schedule);
  for (std::int64_t layer = 0; layer < spec_.num_hidden_layers; ++layer) load_layer(schedule, layer);
  load_surround();
}

Decoder::~Decoder() = default;

Pass Decoder::pass_now() const {
  Pass pass;
  pass.context_tokens = position_ + 1;
  return pass;
}

MachineOptions Decoder::machine_options() const {
  MachineOptions machine;
  machine.threads = options_.threads;
  machine.set = options_.set;
  machine.accumulate = options_.accumulate;
  machine.loop = options_.software.loop;
  machine.sram_bytes_per_pe = options_.sram_bytes_per_pe;
  machine.reserved_bytes = options_.reserved_bytes;
  machine.recorder = options_.recorder;
  return machine;
}

void Decoder::enter_region(std::string_view region) const {
  if (options_.recorder != nullptr) options_.recorder->enter(region, position_);
}

std::unique_ptr<PanelMatrix> Decoder::load_matrix(const std::string& name, const Tensor& tensor) const {
  const Bands& inputs = tensor.along(tensor.input_axis);
  const std::int64_t outputs = tensor.along(other(tensor.input_axis)).elements();
  if (source_ == nullptr) {
    return std::make_unique<PanelMatrix>(seed_ ^ hash_of(name), outputs, tensor.stored.dtype, inputs, options_.threads);
  }
  const RawMatrix raw = source_->read(name);
  if (raw.rows != outputs || raw.cols != inputs.elements()) {
    throw ConfigError(fmt::format("{}: {} x {} in the file, {} x {} by the configuration", name, raw.rows, raw.cols,
                                  outputs, inputs.elements()));
  }
  if (!is_rotated(name) || spec_.adjacent_pairs) return std::make_unique<PanelMatrix>(raw, tensor.stored.dtype, inputs);
  return std::make_unique<PanelMatrix>(raw, tensor.stored.dtype, inputs,
                                       [this](std::int64_t row) { return paired_row(row, spec_.head_dim); });
}

std::vector<float> Decoder::load_vector(const std::string& name, std::int64_t elements) const {
  std::vector<float> values(static_cast<std::size_t>(elements), name.ends_with("bias") ? 0.0F : 1.0F);
  if (source_ == nullptr) return values;
  const RawMatrix raw = source_->read(name);
  if (raw.rows * raw.cols != elements) {
    throw ConfigError(
        fmt::format("{}: {} elements in the file, {} by the configuration", name, raw.rows * raw.cols, elements));
  }
  raw.read_row(0, values);
  if (is_rotated(name) && !spec_.adjacent_pairs) {
    const std::vector<float> in_file = values;
    for (std::int64_t i = 0; i < elements; ++i) {
      values[static_cast<std::size_t>(i)] = in_file[static_cast<std::size_t>(paired_row(i, spec_.head_dim))];
    }
  }
  round_in_place(options_.activations, values);
  return values;
}

void Decoder::load_layer(const Schedule& schedule, std::int64_t layer) {
  LayerState& state = *layers_.emplace_back(std::make_unique<LayerState>());
  const std::string prefix = fmt::format("model.layers.{}.", layer);
  const std::vector<bool> is_matrix = matrix_flags(schedule);
  const std::int64_t kv_width = spec_.num_key_value_heads * spec_.head_dim;
  state.keys = std::make_unique<KvCache>(options_.mesh.rows, kv_width, options_.activations);
  state.values = std::make_unique<KvCache>(options_.mesh.rows, kv_width, options_.activations);
  int norms = 0;
  for (std::size_t i = 0; i < schedule.tensors.size(); ++i) {
    const Tensor& tensor = schedule.tensors[i];
    const auto id = static_cast<TensorId>(i);
    if (tensor.name == "k_cache") state.bindings.caches[id] = {state.keys.get()};
    if (tensor.name == "v_cache") state.bindings.caches[id] = {state.values.get()};
    if (tensor.use != SramUse::weights) continue;
    std::string name(tensor.name);
    // Both norms of a layer have one name in its schedule; a checkpoint names the second after what it follows.
    if (name == "input_layernorm.weight" && norms++ == 1) name = "post_attention_layernorm.weight";
    if (is_matrix[i]) {
      state.matrices.push_back(load_matrix(prefix + name, tensor));
      state.bindings.matrices[id] = {state.matrices.back().get()};
    } else {
      const std::int64_t elements = name.find("_norm.weight") != std::string::npos
                                        ? spec_.head_dim
                                        : tensor.along_x.elements() * tensor.along_y.elements();
      state.vectors.push_back(std::make_unique<std::vector<float>>(load_vector(prefix + name, elements)));
      state.bindings.vectors[id] = state.vectors.back().get();
    }
  }
}

void Decoder::load_surround() {
  Schedule schedule;
  build_embedding(model_, options_.mesh, pass_now(), shop_, schedule);
  for (const Tensor& tensor : schedule.tensors) {
    if (tensor.use == SramUse::weights) surround_->table = load_matrix("model.embed_tokens.weight", tensor);
  }
  if (!spec_.tie_word_embeddings) {
    build_head(model_, options_.mesh, pass_now(), shop_, schedule);
    for (const Tensor& tensor : schedule.tensors) {
      if (tensor.name == "lm_head.weight") surround_->head = load_matrix("lm_head.weight", tensor);
    }
  }
  surround_->final_norm = load_vector("model.norm.weight", spec_.hidden_size);
}

const std::vector<float>& Decoder::feed(std::int64_t token) {
  if (position_ >= spec_.max_position_embeddings) {
    throw ConfigError(
        fmt::format("position {}: the model's context ends at {} tokens", position_, spec_.max_position_embeddings));
  }
  pass_.clear();
  residuals_.clear();
  run_embedding(token);
  run_layers();
  run_head();
  ++position_;
  return logits_;
}

void Decoder::run_embedding(std::int64_t token) {
  CountedSchedule& counted = pass_.emplace_back();
  build_embedding(model_, options_.mesh, pass_now(), shop_, counted.schedule);
  Machine machine(counted.schedule, machine_options(), constants_of(spec_));
  Bindings bindings;
  bindings.matrices[machine.find("model.embed_tokens.weight")] = {surround_->table.get()};
  machine.buffer(machine.find("token")).values[0] = static_cast<float>(token);
  enter_region("embedding");
  machine.run(bindings, {});
  hidden_ = machine.buffer(machine.find("hidden")).values;
  residuals_.push_back(hidden_);
  counted.counters = machine.counters();
}

void Decoder::run_layers() {
  CountedSchedule& counted = pass_.emplace_back();
  build_layer(model_.layers.front(), spec_.hidden_size, options_.mesh, pass_now(), shop_, counted.schedule);
  counted.times = spec_.num_hidden_layers;
  Machine machine(counted.schedule, machine_options(), constants_of(spec_));
  layer_sram_bytes_ = machine.resident_bytes() + machine.peak_buffer_bytes();
  const std::vector<Rotation> rotations{rotation_at(spec_, position_)};
  machine.buffer(0).values = hidden_;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    enter_region(fmt::format("layer {}", i));
    machine.run(layers_[i]->bindings, rotations);
    residuals_.push_back(machine.buffer(0).values);
  }
  hidden_ = machine.buffer(0).values;
  counted.counters = machine.counters();
}

void Decoder::run_head() {
  CountedSchedule& counted = pass_.emplace_back();
  build_head(model_, options_.mesh, pass_now(), shop_, counted.schedule);
  Machine machine(counted.schedule, machine_options(), constants_of(spec_));
  Bindings bindings;
  bindings.matrices[machine.find("lm_head.weight")] = {surround_->head ? surround_->head.get()
                                                                       : surround_->table.get()};
  bindings.vectors[machine.find("model.norm.weight")] = &surround_->final_norm;
  machine.buffer(0).values = hidden_;
  enter_region("head");
  machine.run(bindings, {});
  logits_ = machine.buffer(machine.find("logits")).values;
  chosen_ = static_cast<std::int64_t>(machine.buffer(machine.find("chosen")).values[1]);
  counted.counters = machine.counters();
}

std::int64_t Decoder::weight_bytes() const {
  std::int64_t bytes = (surround_->head ? surround_->head : surround_->table)->host_bytes();
  for (const auto& layer : layers_) {
    for (const auto& matrix : layer->matrices) bytes += matrix->host_bytes();
  }
  return bytes;
}

KvCache& Decoder::keys(std::int64_t layer) {
  return *layers_[static_cast<std::size_t>(layer)]->keys;
}
KvCache& Decoder::values(std::int64_t layer) {
  return *layers_[static_cast<std::size_t>(layer)]->values;
}

}  // namespace waferline::kernels::emulate
