// Which question: is each emulated kernel within its stated error bound of the double-precision one? The bounds are
// gamma_n = n u / (1 - n u) of the longest chain of roundings, times the sum of magnitudes.

#include <algorithm>
#include <cmath>

#include "kernels/builder.hpp"
#include "kernels/emulate/machine.hpp"
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

double unit_roundoff(DType dtype) {
  return dtype == DType::fp16 ? 0x1p-11 : dtype == DType::bf16 ? 0x1p-8 : 0x1p-24;
}

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

std::vector<double> wide(std::span<const float> values) {
  return {values.begin(), values.end()};
}

reference::Matrix wide(const PanelMatrix& matrix) {
  reference::Matrix out{matrix.outputs(), matrix.inputs(),
                        std::vector<double>(static_cast<std::size_t>(matrix.outputs() * matrix.inputs()))};
  for (std::int64_t row = 0; row < out.rows; ++row) {
    for (std::int64_t k = 0; k < out.cols; ++k) {
      out.values[static_cast<std::size_t>(row * out.cols + matrix.order().global[static_cast<std::size_t>(k)])] =
          matrix.at(row, k);
    }
  }
  return out;
}

reference::Matrix rows_of(const KvCache& cache, std::int64_t first, std::int64_t width) {
  reference::Matrix out{0, width, {}};
  for (const float* entry : cache.entries()) {
    out.values.insert(out.values.end(), entry + first, entry + first + width);
    ++out.rows;
  }
  return out;
}

struct GemvCase {
  DType stored;
  DType sums;
};

/// Builds, runs and checks one product over a random rectangle; returns the largest error as a share of its bound.
double gemv_share(std::mt19937& random, const GemvCase& types, int round) {
  const Extent mesh{between(random, 1, 16), between(random, 1, 16)};
  const std::int64_t inputs = between(random, 1, 300);
  const std::int64_t outputs = between(random, 1, 200);
  Workshop shop{{}, PlanCache({})};
  shop.options.accumulate = types.sums;
  models::Layer layer;
  layer.weights.push_back({"w", models::WeightRole::attention, 1, outputs, inputs, {.dtype = types.stored}});
  const LayerStorage storage(layer.weights);
  Schedule schedule;
  Builder b(schedule, mesh, {}, shop.options, shop.plans, storage);
  const TensorId in = b.vector("in", Axis::y, b.split(Axis::y, inputs));
  const TensorId out = b.vector("out", Axis::x, b.split(Axis::x, outputs));
  const TensorId w = b.matrix("w", models::WeightRole::attention, Axis::y, b.tensor(in).along_y, b.tensor(out).along_x);
  b.gemv(Part::ffn, "gemv", in, w, out);
  b.reduce(Part::ffn, StepKind::reduce_sum, "reduce", Axis::y, out);
  MachineOptions options;
  options.accumulate = types.sums;
  Machine machine(schedule, options, {});
  const PanelMatrix matrix(static_cast<std::uint64_t>(round), outputs, types.stored,
                           schedule.tensors[static_cast<std::size_t>(w)].along_y, 1);
  Bindings bindings;
  bindings.matrices[w] = {&matrix};
  std::normal_distribution<float> normal;
  for (float& x : machine.buffer(in).values) x = rounded(types.sums, normal(random));
  machine.run(bindings, {});
  const reference::Product exact = reference::multiply(wide(matrix), wide(machine.buffer(in).values));
  const double u = unit_roundoff(types.sums);
  const std::int64_t chain = ceil_div(inputs, mesh.rows) + mesh.rows;
  // fp16 accumulation rounds twice, first to fp32; sums below the normal range err by half of the least subnormal each.
  const double bound = reference::sum_bound(chain, u * (1 + 0x1p-12) + 0x1p-24);
  const double least = types.sums == DType::fp16 ? static_cast<double>(chain) * 0x1p-25 : 1e-38;
  double worst = 0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    const double share =
        std::abs(machine.buffer(out).values[i] - exact.values[i]) / (bound * exact.magnitudes[i] + least);
    worst = std::isnan(share) ? 1e9 : std::max(worst, share);
  }
  return worst;
}

}  // namespace

TEST_CASE("GEMV is within gamma of (local inputs + PEs of the line), 200 random cases for each storage and sum type") {
  std::mt19937 random(17);
  const std::vector<GemvCase> cases{
      {DType::fp32, DType::fp32}, {DType::fp16, DType::fp32}, {DType::fp16, DType::fp16},
      {DType::bf16, DType::fp32}, {DType::bf16, DType::bf16}, {DType::fp8_e4m3, DType::fp16},
      {DType::int8, DType::fp32}, {DType::int4, DType::fp16}, {DType::fp8_e4m3, DType::fp32}};
  for (const GemvCase& types : cases) {
    double worst = 0;
    for (int round = 0; round < 200; ++round) worst = std::max(worst, gemv_share(random, types, round));
    INFO(name(types.stored) << " summed in " << name(types.sums) << ": worst error is " << worst << " of the bound");
    CHECK(worst <= 1);
    CHECK(worst > 1e-4);  // a bound that is never approached says nothing
  }
}

TEST_CASE("attention with grouped queries is within its bound in 200 random layers, softmax and values together") {
  std::mt19937 random(23);
  for (int round = 0; round < 200; ++round) {
    LayerCase chosen = random_layer(random, 16, 16);
    if (round % 3 == 0) chosen.options.kv = DType::fp8_e4m3;
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    Machine& machine = run.machine();
    const models::Mixer& mixer = chosen.layer.mixers[0];
    const Buffer& queries = machine.buffer(machine.find("q"));
    const Buffer& result = machine.buffer(machine.find("attention.values"));
    const double u = unit_roundoff(chosen.options.accumulate);
    const double scale = 1 / std::sqrt(static_cast<double>(mixer.head_dim));
    for (std::int64_t copy = 0; copy < chosen.pass.batch; ++copy) {
      const KvCache& keys = *run.bindings().caches.at(machine.find("k_cache"))[static_cast<std::size_t>(copy)];
      const KvCache& values = *run.bindings().caches.at(machine.find("v_cache"))[static_cast<std::size_t>(copy)];
      REQUIRE(keys.positions() == chosen.pass.context_tokens);
      for (std::int64_t head = 0; head < mixer.heads; ++head) {
        const std::int64_t kv = head / (mixer.heads / mixer.kv_heads) * mixer.head_dim;
        const auto query = wide(queries.of(copy).subspan(static_cast<std::size_t>(head * mixer.head_dim),
                                                         static_cast<std::size_t>(mixer.head_dim)));
        const reference::Matrix k = rows_of(keys, kv, mixer.head_dim);
        const reference::Matrix v = rows_of(values, kv, mixer.head_dim);
        const auto exact = reference::attend(query, k, v, scale);
        // A score errs by gamma of its chain times its magnitude; its exponential by as much, relatively; then the two
        // sums.
        const auto score_sizes = reference::multiply(k, query).magnitudes;
        const double score_error = *std::max_element(score_sizes.begin(), score_sizes.end()) * scale *
                                   reference::sum_bound(mixer.head_dim + chosen.mesh.cols + 2, u);
        const double largest = std::abs(*std::max_element(
            v.values.begin(), v.values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
        const double bound =
            largest * (std::expm1(2 * score_error) +
                       2 * reference::sum_bound(chosen.pass.context_tokens + chosen.mesh.rows + 8, u)) +
            1e-4 * u;
        for (std::int64_t dim = 0; dim < mixer.head_dim; ++dim) {
          const double error = std::abs(result.of(copy)[static_cast<std::size_t>(head * mixer.head_dim + dim)] -
                                        exact[static_cast<std::size_t>(dim)]);
          INFO("case " << round << " head " << head << " dim " << dim << " type " << name(chosen.options.accumulate));
          REQUIRE(error <= bound);
        }
      }
    }
  }
}

TEST_CASE("RMSNorm is within gamma of its sum in 200 random layers") {
  std::mt19937 random(29);
  for (int round = 0; round < 200; ++round) {
    LayerCase chosen = random_layer(random, 16, 16);
    chosen.layer.layer_norm = false;
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    std::vector<float> input = run.output();
    run.run();
    Machine& machine = run.machine();
    const auto weight = wide(*run.bindings().vectors.at(machine.find("input_layernorm.weight")));
    const Buffer& normed = machine.buffer(machine.find("norm.out"));
    const double u = unit_roundoff(chosen.options.accumulate);
    const double bound = reference::sum_bound(ceil_div(chosen.hidden_size, chosen.mesh.rows) + chosen.mesh.rows + 6, u);
    for (std::int64_t copy = 0; copy < chosen.pass.batch; ++copy) {
      const auto first = static_cast<std::size_t>(copy * chosen.hidden_size);
      const auto x = wide(std::span(input).subspan(first, static_cast<std::size_t>(chosen.hidden_size)));
      const auto exact = reference::rms_norm(x, weight, 1e-5);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        REQUIRE(std::abs(normed.of(copy)[i] - exact[i]) <= bound * std::abs(exact[i]) + 0x1p-24 * u);
      }
    }
  }
}

TEST_CASE("experts: the mesh chooses the router's top k, and their gated sum is within its bound") {
  std::mt19937 random(41);
  int with_experts = 0;
  for (int round = 0; with_experts < 200; ++round) {
    LayerCase chosen = random_layer(random, 16, 16);
    if (chosen.layer.ffns[0].kind != models::FfnKind::moe) continue;
    chosen.layer.ffns[0].shared_width = 0;
    chosen.layer.ffns[0].shared_gate = chosen.layer.ffns[0].bias = false;
    chosen.layer.ffns[0].gated = true;
    if (with_experts % 2 == 0) chosen.options.expert_bands = 1;
    chosen.layer.norms = 2;
    ++with_experts;
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    Machine& machine = run.machine();
    const models::Ffn& ffn = chosen.layer.ffns[0];
    const double u = unit_roundoff(chosen.options.accumulate);
    for (std::int64_t copy = 0; copy < chosen.pass.batch; ++copy) {
      const auto logits = wide(machine.buffer(machine.find("router.logits")).of(copy));
      const auto experts = reference::top_k(logits, ffn.active_experts);
      const auto picked = machine.buffer(machine.find("router.chosen")).of(copy);
      std::vector<double> scores;
      for (const std::int64_t expert : experts) scores.push_back(logits[static_cast<std::size_t>(expert)]);
      const auto gates = reference::softmax(scores);
      const auto x = wide(machine.buffer(machine.find("norm.out", 1)).of(copy));
      std::vector<double> exact(static_cast<std::size_t>(chosen.hidden_size), 0.0);
      double magnitude = 0;
      for (std::size_t i = 0; i < experts.size(); ++i) {
        REQUIRE(static_cast<std::int64_t>(picked[static_cast<std::size_t>(ffn.active_experts) + i]) == experts[i]);
        const auto weights = [&](const char* name) {
          return wide(*run.bindings().matrices.at(machine.find(name))[static_cast<std::size_t>(experts[i])]);
        };
        const auto up = reference::multiply(weights("mlp.experts.up_proj.weight"), x);
        const auto gate = reference::multiply(weights("mlp.experts.gate_proj.weight"), x);
        auto inner = reference::silu_multiply(gate.values, up.values);
        for (double& value : inner) value *= gates[i];
        const auto down = reference::multiply(weights("mlp.experts.down_proj.weight"), inner);
        // Errors of the inner vector are proportional to the magnitudes that made it, not to what is left of them.
        auto sizes = up.magnitudes;
        for (std::size_t j = 0; j < sizes.size(); ++j) sizes[j] *= gate.magnitudes[j] * gates[i] * 1.2;
        const auto reach = reference::multiply(weights("mlp.experts.down_proj.weight"), sizes);
        magnitude += *std::max_element(reach.magnitudes.begin(), reach.magnitudes.end());
        for (std::size_t j = 0; j < exact.size(); ++j) exact[j] += down.values[j];
      }
      // Where n u reaches 1 gamma says nothing (bf16): there 100 roundings, more than their random walk makes of any of
      // these.
      const std::int64_t chain = chosen.hidden_size + ffn.width + chosen.mesh.rows + chosen.mesh.cols + 10;
      for (std::size_t j = 0; j < exact.size(); ++j) {
        REQUIRE(std::abs(machine.buffer(machine.find("experts.out")).of(copy)[j] - exact[j]) <=
                3 * reference::sum_bound(std::min<std::int64_t>(chain, 100), u) * (magnitude + 1e-6));
      }
    }
  }
}
