// Which question: is each small kernel by itself (rotation, softmax, norms, output head, choice) within its stated
// error bound of the double-precision one, for every type in which its vectors or weights are kept?
//
// u is the unit roundoff of the vectors' type. Bounds: gamma_n = n u / (1 - n u) for sums of n terms, one u for each
// rounding of a stored element; scalars and statistics are fp32.

#include <algorithm>
#include <cmath>

#include "kernels/builder.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/seeded/reference_weights.hpp"
#include "kernels/layer_schedule.hpp"
#include "kernels/norm.hpp"
#include "kernels/numerics/contract.hpp"
#include "kernels/reference/reference.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

namespace {

constexpr double kSingle = 0x1p-24;

double unit_roundoff(DType dtype) {
  return dtype == DType::fp16 ? 0x1p-11 : dtype == DType::bf16 ? 0x1p-8 : kSingle;
}

/// Half of the least number above zero: what is below the normal range errs by that.
double least(DType dtype) {
  return dtype == DType::fp16 ? 0x1p-25 : 1e-38;
}

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

std::vector<double> wide(std::span<const float> values) {
  return {values.begin(), values.end()};
}

void fill(std::mt19937& random, DType dtype, float deviation, std::span<float> values) {
  std::normal_distribution<float> normal(0, deviation);
  for (float& value : values) value = rounded(dtype, normal(random));
}

/// One schedule under construction over a random rectangle, its vectors kept in `vectors`.
struct Bench {
  Bench(std::mt19937& random, DType vectors, std::int64_t batch)
      : shop{{}, PlanCache({})}, mesh{between(random, 1, 16), between(random, 1, 16)}, dtype(vectors) {
    shop.options.accumulate = vectors;
    models::StoredType stored;
    stored.dtype = vectors;
    for (const auto role : {models::WeightRole::norm, models::WeightRole::bias})
      weights.push_back({"role", role, 1, 1, 1, stored});
    storage = LayerStorage(weights);
    pass.batch = batch;
  }
  Builder builder() { return {schedule, mesh, pass, shop.options, shop.plans, storage}; }
  Machine& machine(const Constants& constants = {}) {
    MachineOptions options;
    options.accumulate = dtype;
    made = std::make_unique<Machine>(schedule, options, constants);
    return *made;
  }
  void check_counted() const {
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
      INFO("step " << schedule.steps[i].label);
      CHECK(tests::shown(made->counters()[i]) == tests::shown(closed_form(schedule.steps[i])));
    }
  }

  Workshop shop;
  Extent mesh;
  DType dtype;
  Pass pass;
  std::vector<models::Weight> weights;
  LayerStorage storage;
  Schedule schedule;
  std::unique_ptr<Machine> made;
};

/// The largest share of a bound that errors reach.
class Shares {
 public:
  void add(double got, double exact, double bound) {
    const double share = std::abs(got - exact) / bound;
    worst_ = std::isnan(share) ? 1e9 : std::max(worst_, share);
  }
  double worst() const { return worst_; }

 private:
  double worst_ = 0;
};

void check_bound(const char* kernel, DType dtype, const Shares& shares) {
  INFO(kernel << " in " << name(dtype) << ": worst error is " << shares.worst() << " of the bound");
  CHECK(shares.worst() <= 1);
  CHECK(shares.worst() > 0.02);  // a bound that is never approached says nothing
}

constexpr std::array kVectorTypes{DType::fp32, DType::fp16, DType::bf16};

void rotation_case(std::mt19937& random, DType dtype, Shares& shares) {
  Bench bench(random, dtype, between(random, 1, 3));
  Builder b = bench.builder();
  const std::int64_t head_dim = 2 * between(random, 1, 40);
  const Bands heads = b.bands(Axis::x, between(random, 1, 6), between(random, 1, 4), head_dim, 2);
  const TensorId x = b.vector("x", Axis::x, heads);
  b.elementwise(Part::rope, ElementOp::rope, "rope", x, kNoTensor, x, 4 * (heads.vectors_per_pe() + 1),
                ceil_div(heads.dims_per_pe(), 2));
  Machine& machine = bench.machine();
  fill(random, dtype, 1, machine.buffer(x).values);
  const std::vector<double> before = wide(machine.buffer(x).values);
  std::vector<Rotation> rotations(static_cast<std::size_t>(bench.pass.batch));
  std::vector<std::vector<double>> angles(rotations.size());
  for (std::size_t token = 0; token < rotations.size(); ++token) {
    for (std::int64_t pair = 0; pair < head_dim / 2; ++pair) {
      const double angle = std::uniform_real_distribution<double>(-3, 3)(random);
      rotations[token].cosines.push_back(static_cast<float>(std::cos(angle)));
      rotations[token].sines.push_back(static_cast<float>(std::sin(angle)));
      angles[token].push_back(angle);
    }
  }
  machine.run({}, rotations);
  bench.check_counted();
  // Two roundings of stored elements, of which one passes through the fused product, and the angle's to fp32.
  const double u = unit_roundoff(dtype);
  const std::int64_t of_token = heads.elements();
  for (std::size_t i = 0; i < before.size(); i += static_cast<std::size_t>(head_dim)) {
    const auto& own = angles[i / static_cast<std::size_t>(of_token)];
    const auto exact = reference::rotate(std::span(before).subspan(i, static_cast<std::size_t>(head_dim)), own);
    for (std::size_t j = 0; j < exact.size(); ++j) {
      const double size = std::abs(before[i + j]) + std::abs(before[i + (j ^ 1U)]);
      shares.add(machine.buffer(x).values[i + j], exact[j], (2 * u + 2 * kSingle) * size + 2 * least(dtype));
    }
  }
}

void softmax_case(std::mt19937& random, DType dtype, Shares& shares) {
  Bench bench(random, dtype, between(random, 1, 2));
  Builder b = bench.builder();
  const std::int64_t positions = between(random, 1, 300);
  const Bands vectors = b.bands(Axis::x, between(random, 1, 5), between(random, 1, 3), 1);
  const Bands each = Builder::one_each(vectors);
  const TensorId scores = b.grid("scores", each, b.split(Axis::y, positions));
  const TensorId maxima = b.statistic("maxima", each, b.everywhere(Axis::y));
  const TensorId sums = b.statistic("sums", each, b.everywhere(Axis::y));
  const std::int64_t local = each.vectors_per_pe();
  const std::int64_t rows = b.split(Axis::y, positions).elements_per_pe();
  b.elementwise(Part::softmax, ElementOp::local_max, "max", scores, kNoTensor, maxima, local, rows);
  b.reduce(Part::softmax, StepKind::reduce_max, "max_reduce", Axis::y, maxima);
  b.elementwise(Part::softmax, ElementOp::exp_minus_max, "exp", scores, maxima, scores, local, rows).exponentials =
      local * rows * b.batch();
  b.elementwise(Part::softmax, ElementOp::local_sum, "sum", scores, kNoTensor, sums, local, rows);
  b.reduce(Part::softmax, StepKind::reduce_sum, "sum_reduce", Axis::y, sums);
  Constants constants;
  constants.attention_scale = 0.3F;
  Machine& machine = bench.machine(constants);
  fill(random, dtype, 4, machine.buffer(scores).values);
  std::vector<double> before = wide(machine.buffer(scores).values);
  for (double& value : before) value *= static_cast<double>(constants.attention_scale);
  machine.run({}, {});
  bench.check_counted();
  const double u = unit_roundoff(dtype);
  const auto n = static_cast<std::size_t>(positions);
  for (std::size_t vector = 0; vector * n < before.size(); ++vector) {
    const std::span<const double> own = std::span(before).subspan(vector * n, n);
    const auto exact = reference::softmax(own);
    const double top = *std::max_element(own.begin(), own.end());
    const double sum = machine.buffer(sums).values[vector];
    for (std::size_t i = 0; i < n; ++i) {
      // Difference and scale round in fp32, which the exponential magnifies by its argument; then one rounding of each
      // exponential, and the sum of all of them in fp32.
      const double argument = 3 * kSingle * (top - own[i]);
      const double bound =
          exact[i] * (argument + 2 * u + 2 * kSingle + reference::sum_bound(positions + bench.mesh.rows, kSingle)) +
          static_cast<double>(positions) * least(dtype);
      shares.add(machine.buffer(scores).values[vector * n + i] / sum, exact[i], bound);
    }
  }
}

void norm_case(std::mt19937& random, DType dtype, bool layer_norm, Shares& shares) {
  Bench bench(random, dtype, between(random, 1, 3));
  const std::int64_t size = between(random, 2, 400);
  Builder b = bench.builder();
  const TensorId x = b.vector("x", Axis::y, b.split(Axis::y, size));
  static constexpr NormText kText{"weight", "sum", "reduce", "scale"};
  const bool biased = layer_norm && between(random, 0, 1) == 1;
  const TensorId out = append_norm(b, kText, Axis::y, x, layer_norm, biased);
  Machine& machine = bench.machine();
  std::vector<float> weight(static_cast<std::size_t>(size));
  std::vector<float> bias(weight.size());
  fill(random, dtype, 1, weight);
  fill(random, dtype, 1, bias);
  Bindings bindings;
  const TensorId weight_id = machine.find("weight");
  bindings.vectors[weight_id] = &weight;
  bindings.vectors[static_cast<TensorId>(weight_id + 1)] = &bias;
  fill(random, dtype, 2, machine.buffer(x).values);
  const std::vector<double> before = wide(machine.buffer(x).values);
  machine.run(bindings, {});
  bench.check_counted();
  const double u = unit_roundoff(dtype);
  const std::int64_t chain = ceil_div(size, bench.mesh.rows) + bench.mesh.rows + 4;
  const double of_sum = reference::sum_bound(chain, kSingle);
  for (std::int64_t copy = 0; copy < bench.pass.batch; ++copy) {
    const auto own = std::span(before).subspan(static_cast<std::size_t>(copy * size), static_cast<std::size_t>(size));
    const auto exact = layer_norm
                           ? reference::layer_norm(own, wide(weight), biased ? wide(bias) : std::vector<double>{}, 1e-5)
                           : reference::rms_norm(own, wide(weight), 1e-5);
    double mean = 0;
    double squares = 0;
    for (const double value : own) mean += std::abs(value) / static_cast<double>(size);
    for (const double value : own) squares += value * value / static_cast<double>(size);
    double variance = squares;
    if (layer_norm) {
      double sum = 0;
      for (const double value : own) sum += value / static_cast<double>(size);
      variance = squares - sum * sum;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double scale = std::abs(static_cast<double>(weight[i])) / std::sqrt(variance + 1e-5);
      // LayerNorm: the mean's error, and the variance's, which is a difference of two means of squares.
      const double spread = layer_norm ? 2 * of_sum * squares / (variance + 1e-5) : of_sum;
      const double plain = scale * (std::abs(own[i]) + (layer_norm ? mean : 0));
      const double bound = plain * (4 * u + spread) + (layer_norm ? scale * mean * of_sum : 0) +
                           (biased ? 2 * u * (plain + std::abs(static_cast<double>(bias[i]))) : 0) + 4 * least(dtype);
      shares.add(machine.buffer(out).of(copy)[i], exact[i], bound);
    }
  }
}

models::Model head_model(std::int64_t hidden, std::int64_t vocabulary, const models::StoredType& stored,
                         DType vectors) {
  models::Model model;
  model.hidden_size = hidden;
  model.vocab_size = vocabulary;
  models::StoredType vector;
  vector.dtype = vectors;
  model.head.push_back({"lm_head.weight", models::WeightRole::other, 1, vocabulary, hidden, stored});
  model.final_norm.push_back({"model.norm.weight", models::WeightRole::norm, 1, hidden, 1, vector});
  return model;
}

models::StoredType stored_as(DType dtype) {
  if (dtype == DType::int8 || dtype == DType::int4) return {dtype, 1, 32, 16, 0};
  return {.dtype = dtype};
}

/// Output head with its choice; candidates are the k largest logits, the lower index first where two are equal.
void head_case(std::mt19937& random, DType weights, DType vectors, Shares& shares) {
  Bench bench(random, vectors, between(random, 1, 2));
  bench.pass.sample_top_k = between(random, 1, 6);
  const std::int64_t hidden = between(random, 2, 200);
  const std::int64_t vocabulary = between(random, 8, 400);
  const models::Model model = head_model(hidden, vocabulary, stored_as(weights), vectors);
  build_head(model, bench.mesh, bench.pass, bench.shop, bench.schedule);
  Machine& machine = bench.machine();
  const TensorId weight_id = machine.find("lm_head.weight");
  const PanelMatrix weight(random(), vocabulary, weights,
                           bench.schedule.tensors[static_cast<std::size_t>(weight_id)].along_y, 1);
  std::vector<float> norm(static_cast<std::size_t>(hidden), 1.0F);
  Bindings bindings;
  bindings.matrices[weight_id] = {&weight};
  bindings.vectors[machine.find("model.norm.weight")] = &norm;
  fill(random, vectors, 1, machine.buffer(0).values);
  machine.run(bindings, {});
  bench.check_counted();
  const double u = unit_roundoff(vectors) * (1 + 0x1p-12) + (vectors == DType::fp32 ? 0 : kSingle);
  const std::int64_t chain = ceil_div(hidden, bench.mesh.rows) + bench.mesh.rows;
  for (std::int64_t copy = 0; copy < bench.pass.batch; ++copy) {
    const auto logits = machine.buffer(machine.find("logits")).of(copy);
    const auto exact =
        reference::multiply(whole_matrix(weight), wide(machine.buffer(machine.find("norm.out")).of(copy)));
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      shares.add(logits[i], exact.values[i],
                 reference::sum_bound(chain, u) * exact.magnitudes[i] + static_cast<double>(chain) * least(vectors));
    }
    const std::int64_t k = bench.pass.sample_top_k;
    const auto chosen = machine.buffer(machine.find("chosen")).of(copy);
    const auto best = reference::top_k(wide(logits), k);
    std::vector<double> values;
    for (std::size_t i = 0; i < best.size(); ++i) {
      CHECK(static_cast<std::int64_t>(chosen[static_cast<std::size_t>(k) + i]) == best[i]);
      values.push_back(logits[static_cast<std::size_t>(best[i])]);
    }
    const auto shares_of_k = reference::softmax(values);
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(std::abs(chosen[i] - (k > 1 ? shares_of_k[i] : values[i])) <= 1e-5);
  }
}

}  // namespace

TEST_CASE("rotation alone is within two roundings, 200 cases for each type of vectors") {
  for (const DType dtype : kVectorTypes) {
    std::mt19937 random(51);
    Shares shares;
    for (int round = 0; round < 200; ++round) rotation_case(random, dtype, shares);
    check_bound("rotation", dtype, shares);
  }
}

TEST_CASE("softmax alone is within its bound, 200 cases for each type of scores") {
  for (const DType dtype : kVectorTypes) {
    std::mt19937 random(52);
    Shares shares;
    for (int round = 0; round < 200; ++round) softmax_case(random, dtype, shares);
    check_bound("softmax", dtype, shares);
  }
}

TEST_CASE("RMSNorm and LayerNorm alone are within their bounds, 200 cases for each type of vectors") {
  for (const bool layer_norm : {false, true}) {
    for (const DType dtype : kVectorTypes) {
      std::mt19937 random(53);
      Shares shares;
      for (int round = 0; round < 200; ++round) norm_case(random, dtype, layer_norm, shares);
      check_bound(layer_norm ? "LayerNorm" : "RMSNorm", dtype, shares);
    }
  }
}

TEST_CASE("the output head is within gamma, its greedy or top-k choice exact, 200 cases for each storage type") {
  for (const DType weights : {DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int4, DType::fp8_e4m3}) {
    for (const DType vectors : {DType::fp32, DType::fp16}) {
      std::mt19937 random(54);
      Shares shares;
      for (int round = 0; round < 200; ++round) head_case(random, weights, vectors, shares);
      INFO("weights in " << name(weights));
      check_bound("output head", vectors, shares);
    }
  }
}
