// Follows: sparsely gated experts (arXiv 1701.06538, equations 1 to 5) with shared experts (arXiv 2401.06066,
// section 3.2).
#include <algorithm>
#include <cassert>

#include "kernels/attention.hpp"
#include "kernels/ffn.hpp"

namespace waferline::kernels {

using models::Ffn;
using models::WeightRole;

namespace {

/// Work of a PE that may be the busiest.
struct BandWork {
  ExpertLoad load;
  std::int64_t dims = 0;  ///< of an expert's inner width
};

/// Where the experts lie and how many of the chosen ones the busiest PE works on.
struct ExpertLayout {
  Bands inner;              ///< inner width along the axis of the experts' outputs
  std::int64_t stored = 0;  ///< experts of which a PE holds a piece
  std::int64_t chosen = 0;  ///< of those, chosen for one token: so many pieces a buffer has
  std::vector<BandWork> work;
};

/// A known choice loads each band by itself; otherwise the band whose PEs hold most has the most there can be.
std::vector<BandWork> band_work(const Builder& b, const ExpertLayout& lay) {
  const std::vector<ExpertLoad>& known = b.options().expert_loads;
  if (known.empty()) {
    std::int64_t distinct = std::min(lay.stored, lay.chosen * b.batch());
    if (b.options().distinct_experts > 0) distinct = std::min(distinct, b.options().distinct_experts);
    return {{{lay.chosen * b.batch(), distinct}, lay.inner.elements_per_pe()}};
  }
  assert(static_cast<std::int64_t>(known.size()) == lay.inner.heads && "expert_loads: one for each band");
  std::vector<BandWork> work;
  for (std::int64_t band = 0; band < lay.inner.heads; ++band) {
    const ExpertLoad& load = known[static_cast<std::size_t>(band)];
    if (load.choices > 0) work.push_back({load, lay.inner.dims_at(lay.inner.band(band).begin).size});
  }
  return work;
}

/// From one element of one token to the PEs' pieces of all chosen experts.
void spread(Step& step, const std::vector<BandWork>& work, std::int64_t batch) {
  const Step one = step;
  step.instructions = step.length = step.exponentials = step.read_bytes = step.write_bytes = 0;
  const auto most = [](std::int64_t& of, std::int64_t value) { of = std::max(of, value); };
  for (const BandWork& w : work) {
    const std::int64_t elements = w.load.choices * w.dims;
    most(step.instructions, one.instructions / batch * w.load.choices);
    most(step.length, w.dims);
    most(step.exponentials, one.exponentials / batch * elements);
    most(step.read_bytes, one.read_bytes / batch * elements);
    most(step.write_bytes, one.write_bytes / batch * elements);
  }
}

ExpertLayout expert_layout(const Builder& b, const Ffn& ffn, Axis axis) {
  const std::int64_t bands = std::min(b.options().expert_bands, ffn.routed_experts);
  ExpertLayout lay;
  lay.inner = b.bands(axis, bands, 1, ffn.expert_width);
  if (!lay.inner.banded()) lay.inner = b.split(axis, ffn.expert_width);
  const std::int64_t used = lay.inner.heads;
  lay.stored = ceil_div(ffn.routed_experts, used);
  const std::int64_t asked = b.options().experts_in_busiest_band;
  lay.chosen = used == 1 || asked == 0 ? ffn.active_experts : std::min(asked, ffn.active_experts);
  lay.chosen = std::min(lay.chosen, lay.stored);
  lay.work = band_work(b, lay);
  return lay;
}

/// Router outputs along x, local top-k, merge along x: afterwards every PE has the chosen experts and their gates.
TensorId append_router(Builder& b, const Ffn& ffn, TensorId hidden) {
  const std::int64_t outputs = ffn.routed_experts + ffn.zero_experts;
  const Bands experts = b.split(Axis::x, outputs);
  const TensorId w = b.matrix("mlp.gate.weight", WeightRole::router, Axis::y, b.tensor(hidden).along_y, experts);
  const TensorId logits = b.vector("router.logits", Axis::x, experts);
  b.gemv(Part::router, "router.gate", hidden, w, logits);
  b.reduce(Part::router, StepKind::reduce_sum, "router.reduce", Axis::y, logits);
  if (ffn.router_bias || ffn.bias) {
    append_bias(b, Part::router, "router.bias", "mlp.gate.e_score_correction_bias", logits);
  }
  const std::int64_t local = b.local(logits);
  const std::int64_t k = ffn.active_experts;
  const TensorId candidates = b.statistic("router.candidates", b.everywhere(Axis::x, 2 * k), b.everywhere(Axis::y));
  Step& top = b.elementwise(Part::router, ElementOp::top_k, "router.local_top_k", logits, kNoTensor, candidates,
                            std::min(k, local), local);
  top.exponentials = local * b.batch();
  const TensorId chosen = b.statistic("router.chosen", b.everywhere(Axis::x, 2 * k), b.everywhere(Axis::y));
  b.select(Part::router, "router.top_k", Axis::x, candidates, chosen);
  b.elementwise(Part::router, ElementOp::gate_experts, "router.gates", chosen, kNoTensor, chosen, 2, k).specials =
      b.batch();
  return chosen;
}

Step& append_expert_bias(Builder& b, std::string_view label, std::string_view name, Bands bands, Axis axis,
                         TensorId vector, const ExpertLayout& lay) {
  const TensorId bias = axis == Axis::x
                            ? b.matrix(name, WeightRole::bias, Axis::x, bands, b.everywhere(Axis::y), lay.stored)
                            : b.matrix(name, WeightRole::bias, Axis::y, bands, b.everywhere(Axis::x), lay.stored);
  std::vector<BandWork> work = lay.work;
  if (bands.heads == 1) {
    for (BandWork& w : work) w.dims = bands.elements_per_pe();
  }
  Step& step = b.elementwise(Part::experts, ElementOp::add_bias, label, vector, bias, vector, 1, 1);
  spread(step, work, b.batch());
  return step;
}

struct SharedExpert {
  TensorId up = kNoTensor;
  TensorId gate = kNoTensor;
  TensorId scale = kNoTensor;
  int span = 0;
};

/// Buffers of the shared expert's first half, next to the routed experts' so that they travel together.
SharedExpert shared_buffers(Builder& b, const Ffn& ffn) {
  SharedExpert shared;
  if (ffn.shared_width == 0) return shared;
  const Bands inner = b.split(Axis::x, ffn.shared_width);
  shared.up = b.vector("shared.up", Axis::x, inner);
  ++shared.span;
  if (ffn.gated) {
    shared.gate = b.vector("shared.gate", Axis::x, inner);
    ++shared.span;
  }
  if (ffn.shared_gate) {
    shared.scale = b.vector("shared.scale", Axis::x, b.everywhere(Axis::x));
    ++shared.span;
  }
  return shared;
}

void project_shared(Builder& b, const SharedExpert& shared, TensorId hidden) {
  if (shared.span == 0) return;
  const auto one = [&](std::string_view label, std::string_view name, TensorId out) {
    const TensorId w =
        b.matrix(name, WeightRole::shared_expert, Axis::y, b.tensor(hidden).along_y, b.tensor(out).along_x);
    b.gemv(Part::experts, label, hidden, w, out);
  };
  one("shared.up_proj", "mlp.shared_expert.up_proj.weight", shared.up);
  if (shared.gate != kNoTensor) one("shared.gate_proj", "mlp.shared_expert.gate_proj.weight", shared.gate);
  if (shared.scale != kNoTensor) one("shared.gate_column", "mlp.shared_expert_gate.weight", shared.scale);
}

void finish_shared(Builder& b, const SharedExpert& shared, TensorId out) {
  if (shared.span == 0) return;
  const std::int64_t local = b.local(shared.up);
  append_activation(b, Part::experts, "shared.activation", shared.gate, shared.up, 1, local);
  if (shared.scale != kNoTensor) {
    b.elementwise(Part::experts, ElementOp::sigmoid_multiply, "shared.gated", shared.up, shared.scale, shared.up, 1,
                  local)
        .exponentials = b.batch();
  }
  const TensorId w = b.matrix("mlp.shared_expert.down_proj.weight", WeightRole::shared_expert, Axis::x,
                              b.tensor(shared.up).along_x, b.tensor(out).along_y);
  b.gemv(Part::experts, "shared.down_proj", shared.up, w, out);
}

/// The routed experts' work. In a latent space the axes are swapped: its vector lies along x.
struct RoutedExperts {
  ExpertLayout lay;
  Axis axis = Axis::y;  ///< along which their input and output lie
  Bands ends;           ///< of that input and output
  TensorId input = kNoTensor;
  TensorId output = kNoTensor;
  TensorId up = kNoTensor;
  TensorId gate = kNoTensor;
  TensorId chosen = kNoTensor;
};

/// Inner buffers, one piece for each chosen expert; up and gate lie next to each other.
void add_inner_buffers(Builder& b, const Ffn& ffn, RoutedExperts& e) {
  Bands pieces = e.lay.inner;
  pieces.group = e.lay.chosen;
  e.up = b.vector("experts.up", other(e.axis), pieces);
  if (ffn.gated) e.gate = b.vector("experts.gate", other(e.axis), pieces);
}

/// One projection for each chosen expert of each token: into the inner width, or (`expert_sum`) out of it.
void project_experts(Builder& b, ElementOp op, std::string_view label, std::string_view name, TensorId output,
                     const RoutedExperts& e) {
  const bool down = op == ElementOp::expert_sum;
  const Axis axis = down ? other(e.axis) : e.axis;
  const Bands& inputs = down ? e.lay.inner : e.ends;
  const Bands& outputs = down ? e.ends : e.lay.inner;
  const TensorId w = b.matrix(name, WeightRole::routed_expert, axis, inputs, outputs, e.lay.stored);
  const std::int64_t ends = e.ends.elements_per_pe();
  std::vector<LocalGemv> sizes;
  for (const BandWork& of : e.lay.work) {
    sizes.push_back({of.load.choices, down ? of.dims : ends, down ? ends : of.dims, of.load.choices, of.load.distinct});
  }
  b.multiply_busiest(Part::experts, op, label, down ? e.up : e.input, w, output, axis, sizes);
}

void project_up(Builder& b, const Ffn& ffn, const RoutedExperts& e) {
  project_experts(b, ElementOp::expert, "experts.up_proj", "mlp.experts.up_proj.weight", e.up, e);
  if (ffn.gated) project_experts(b, ElementOp::expert, "experts.gate_proj", "mlp.experts.gate_proj.weight", e.gate, e);
}

/// From complete inner sums to partial sums of the combined output.
void activate_and_project_down(Builder& b, const Ffn& ffn, const RoutedExperts& e) {
  const Axis inner_axis = other(e.axis);
  if (ffn.bias) {
    append_expert_bias(b, "experts.up_bias", "mlp.experts.up_proj.bias", e.lay.inner, inner_axis, e.up, e.lay);
    if (ffn.gated) {
      append_expert_bias(b, "experts.gate_bias", "mlp.experts.gate_proj.bias", e.lay.inner, inner_axis, e.gate, e.lay);
    }
  }
  spread(append_activation(b, Part::experts, "experts.activation", e.gate, e.up, 1, 1), e.lay.work, b.batch());
  // Gating before the down projection lets all chosen experts add into one partial sum.
  spread(b.elementwise(Part::experts, ElementOp::multiply_by_gate, "experts.gated", e.up, e.chosen, e.up, 1, 1),
         e.lay.work, b.batch());
  project_experts(b, ElementOp::expert_sum, "experts.down_proj", "mlp.experts.down_proj.weight", e.output, e);
}

/// Each chosen expert's bias, times its gate, joins the complete sum; with bands, of whose experts the others hold no
/// bias, it joins the partial sum of each band's first PE.
void append_down_bias(Builder& b, const Ffn& ffn, const RoutedExperts& e) {
  if (!ffn.bias) return;
  append_expert_bias(b, "experts.down_bias", "mlp.experts.down_proj.bias", e.ends, e.axis, e.output, e.lay).third =
      e.chosen;
}

void combine_experts(Builder& b, const Ffn& ffn, Axis axis, const RoutedExperts& e) {
  const bool in_bands = e.lay.inner.heads > 1;
  if (in_bands) append_down_bias(b, ffn, e);
  b.reduce(Part::experts, StepKind::reduce_sum, "experts.down_reduce", axis, e.output);
  if (!in_bands) append_down_bias(b, ffn, e);
}

TensorId moe_in_hidden(Builder& b, const Ffn& ffn, TensorId hidden, TensorId chosen) {
  RoutedExperts e;
  e.lay = expert_layout(b, ffn, Axis::x);
  e.ends = b.tensor(hidden).along_y;
  e.input = hidden;
  e.chosen = chosen;
  e.output = b.vector("experts.out", Axis::y, e.ends);
  add_inner_buffers(b, ffn, e);
  const SharedExpert shared = shared_buffers(b, ffn);
  project_up(b, ffn, e);
  project_shared(b, shared, hidden);
  b.reduce(Part::experts, StepKind::reduce_sum, "experts.up_reduce", Axis::y, e.up, (ffn.gated ? 2 : 1) + shared.span);
  activate_and_project_down(b, ffn, e);
  finish_shared(b, shared, e.output);
  combine_experts(b, ffn, Axis::x, e);
  return e.output;
}

/// Hidden along y to the latent along x; experts from x over y back to x; latent to hidden along y.
TensorId moe_in_latent(Builder& b, const Ffn& ffn, TensorId hidden, TensorId chosen) {
  const Bands hidden_bands = b.tensor(hidden).along_y;
  RoutedExperts e;
  e.lay = expert_layout(b, ffn, Axis::y);
  e.axis = Axis::x;
  e.ends = b.split(Axis::x, ffn.latent_size);
  e.chosen = chosen;
  e.input = b.vector("experts.latent", Axis::x, e.ends);
  const SharedExpert shared = shared_buffers(b, ffn);
  const TensorId w_in =
      b.matrix("mlp.fc1_latent_proj.weight", WeightRole::shared_expert, Axis::y, hidden_bands, e.ends);
  b.gemv(Part::experts, "experts.latent_in", hidden, w_in, e.input);
  project_shared(b, shared, hidden);
  b.reduce(Part::experts, StepKind::reduce_sum, "experts.latent_reduce", Axis::y, e.input, 1 + shared.span);
  add_inner_buffers(b, ffn, e);
  e.output = b.vector("experts.latent_out", Axis::x, e.ends);
  project_up(b, ffn, e);
  b.reduce(Part::experts, StepKind::reduce_sum, "experts.up_reduce", Axis::x, e.up, ffn.gated ? 2 : 1);
  activate_and_project_down(b, ffn, e);
  combine_experts(b, ffn, Axis::y, e);
  const TensorId w_out =
      b.matrix("mlp.fc2_latent_proj.weight", WeightRole::shared_expert, Axis::x, e.ends, hidden_bands);
  const TensorId out = b.vector("experts.out", Axis::y, hidden_bands);
  b.gemv(Part::experts, "experts.latent_out", e.output, w_out, out);
  finish_shared(b, shared, out);
  b.reduce(Part::experts, StepKind::reduce_sum, "experts.latent_out_reduce", Axis::x, out);
  return out;
}

}  // namespace

TensorId append_moe(Builder& b, const Ffn& ffn, TensorId hidden) {
  const TensorId chosen = append_router(b, ffn, hidden);
  return ffn.latent_size > 0 ? moe_in_latent(b, ffn, hidden, chosen) : moe_in_hidden(b, ffn, hidden, chosen);
}

}  // namespace waferline::kernels
