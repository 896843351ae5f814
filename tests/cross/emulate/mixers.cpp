// Which question: do latent attention, recurrent mixers, LayerNorm and plain feed-forward blocks give what their
// papers' equations give in double precision, and count what the closed form says?

#include <algorithm>
#include <cmath>

#include "kernels/emulate/seeded/layer_reference.hpp"
#include "kernels/emulate/seeded/reference_weights.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;
using models::MixerKind;

namespace {

double unit_roundoff(DType dtype) {
  return dtype == DType::fp16 ? 0x1p-11 : dtype == DType::bf16 ? 0x1p-8 : 0x1p-24;
}

/// Largest error of a layer's output as a share of the largest output.
double relative_error(LayerRun& run) {
  std::string why_not;
  const auto exact = reference_layer(run, why_not);
  INFO(why_not);
  REQUIRE(exact.has_value());
  run.run();
  double largest = 1e-30;
  double worst = 0;
  for (std::size_t i = 0; i < exact->size(); ++i) {
    largest = std::max(largest, std::abs((*exact)[i]));
    const double error = std::abs(static_cast<double>(run.output()[i]) - (*exact)[i]);
    worst = std::isnan(error) ? 1e30 : std::max(worst, error);
  }
  return worst / largest;
}

/// A layer's roundings are several hundred in a chain; each may be magnified where terms cancel. Measured: the worst of
/// 200 cases lies between a twentieth of this and this.
void check_mixer(MixerKind kind, std::uint32_t seed) {
  std::mt19937 random(seed);
  double worst = 0;
  for (int round = 0; round < 200; ++round) {
    LayerCase chosen = random_layer_with(random, kind, 16, 16);
    chosen.options.accumulate = chosen.options.activation = chosen.options.kv = DType::fp32;
    store_as(chosen, DType::fp32);
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    INFO("case " << round << ": " << shown(chosen));
    const double error = relative_error(run);
    worst = std::max(worst, error);
    CHECK(error < 4e-5);
    check_counters(run);
  }
  INFO("worst of 200: " << worst);
  CHECK(worst > 1e-7);
}

}  // namespace

TEST_CASE("latent attention, absorbed on the mesh, gives what keys and values made from the latents give") {
  check_mixer(MixerKind::mla, 101);
}

TEST_CASE("the gated delta rule on the mesh gives what its recurrence gives") {
  check_mixer(MixerKind::gated_delta_net, 102);
}

TEST_CASE("lightning attention on the mesh gives what its recurrence gives") {
  check_mixer(MixerKind::lightning, 103);
}

TEST_CASE("Mamba-1 on the mesh gives what its recurrence gives") {
  check_mixer(MixerKind::mamba1, 104);
}

TEST_CASE("Mamba-2 on the mesh gives what its recurrence gives") {
  check_mixer(MixerKind::mamba2, 105);
}

TEST_CASE("layers with grouped queries, LayerNorm, biases, plain blocks and experts give what their equations give") {
  check_mixer(MixerKind::full_attention, 106);
}

TEST_CASE("a layer of any kind in fp16 and bf16 counts what the closed form says") {
  std::mt19937 random(107);
  for (int round = 0; round < 200; ++round) {
    const auto kinds = std::array{MixerKind::mla, MixerKind::gated_delta_net, MixerKind::lightning, MixerKind::mamba1,
                                  MixerKind::mamba2};
    const LayerCase chosen = random_layer_with(random, kinds[static_cast<std::size_t>(round) % kinds.size()], 16, 16);
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    INFO("case " << round << ": " << shown(chosen));
    check_counters(run);
  }
}

TEST_CASE("absorbed queries and values of latent attention are within gamma of their sums, 200 cases") {
  std::mt19937 random(108);
  for (int round = 0; round < 200; ++round) {
    const LayerCase chosen = random_layer_with(random, MixerKind::mla, 16, 16);
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    const Machine& machine = run.machine();
    const models::Mixer& m = chosen.layer.mixers[0];
    const Bands bands = run.schedule().tensors[static_cast<std::size_t>(machine.find("q_latent"))].along_x;
    const double u = unit_roundoff(chosen.options.accumulate) * (1 + 0x1p-12) + 0x1p-24;
    const ReferenceWeights weights(run);
    INFO("case " << round << ": " << shown(chosen));
    for (std::int64_t copy = 0; copy < chosen.pass.batch; ++copy) {
      for (std::int64_t head = 0; head < m.heads; ++head) {
        const std::int64_t vector = head % bands.heads * bands.group + head / bands.heads;
        const auto query = machine.buffer(machine.find("q_nope")).of(copy);
        const auto summed = machine.buffer(machine.find("attention.values")).of(copy);
        std::vector<double> nope;
        for (std::int64_t d = 0; d < m.qk_nope_head_dim; ++d)
          nope.push_back(query[static_cast<std::size_t>(d * m.heads + head)]);
        std::vector<double> latent;
        for (std::int64_t d = 0; d < m.kv_lora_rank; ++d)
          latent.push_back(summed[static_cast<std::size_t>(vector * m.kv_lora_rank + d)]);
        const auto absorbed = reference::multiply(weights.matrix("self_attn.kv_b_proj.weight#k", head), nope);
        const auto values = reference::multiply(weights.matrix("self_attn.kv_b_proj.weight#v", head), latent);
        const double in = reference::sum_bound(m.qk_nope_head_dim + chosen.mesh.rows, u);
        const double out = reference::sum_bound(m.kv_lora_rank + chosen.mesh.cols, u);
        for (std::int64_t d = 0; d < m.kv_lora_rank; ++d) {
          const auto i = static_cast<std::size_t>(d);
          const double got =
              machine.buffer(machine.find("q_latent")).of(copy)[static_cast<std::size_t>(vector * m.kv_lora_rank + d)];
          REQUIRE(std::abs(got - absorbed.values[i]) <= in * absorbed.magnitudes[i] + 1e-6 * u);
        }
        for (std::int64_t d = 0; d < m.v_head_dim; ++d) {
          const auto i = static_cast<std::size_t>(d);
          const double got =
              machine.buffer(machine.find("latent.values")).of(copy)[static_cast<std::size_t>(d * m.heads + head)];
          REQUIRE(std::abs(got - values.values[i]) <= out * values.magnitudes[i] + 1e-6 * u);
        }
      }
    }
  }
}
