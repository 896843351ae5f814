// Latent and recurrent mixers, experts, head and embedding.
#include <algorithm>

#include "kernels/count.hpp"
#include "kernels/expert_choice.hpp"
#include "kernels/latent_attention.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernel_layers.hpp"

namespace waferline {
namespace {

using kernels::Schedule;
using kernels::Step;

Schedule schedule_of(const models::Layer& layer, std::int64_t hidden, Extent extent, std::int64_t context,
                     const kernels::ScheduleOptions& options = {}, std::int64_t batch = 1) {
  Schedule schedule;
  kernels::Workshop shop = tests::workshop(options);
  kernels::build_layer(layer, hidden, extent, {batch, context, 1}, shop, schedule);
  return schedule;
}

const Step& step(const Schedule& schedule, std::string_view label) {
  const auto at =
      std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const Step& s) { return s.label == label; });
  REQUIRE(at != schedule.steps.end());
  return *at;
}

models::Layer latent_layer() {
  models::Layer layer;
  models::Mixer m;
  m.kind = models::MixerKind::mla;
  m.heads = 8;
  m.q_lora_rank = 24;
  m.kv_lora_rank = 32;
  m.qk_nope_head_dim = 8;
  m.qk_rope_head_dim = 4;
  m.head_dim = 12;
  m.v_head_dim = 8;
  layer.mixers.push_back(m);
  layer.norms = 1;
  return layer;
}

TEST_CASE("a latent cache holds one latent and one rotated key a position, whatever the heads") {
  const Schedule s = schedule_of(latent_layer(), 64, {4, 8}, 20);
  // 32 latent dimensions over 8 columns, 2 pairs over 8 columns, 5 positions a row.
  CHECK(kernels::sram(s).kv == Bytes{(4 + 2) * 5 * 2});
}

TEST_CASE("copies of the latent cache divide the heads among bands of columns") {
  kernels::ScheduleOptions options;
  options.latent_copies = 4;
  const Schedule one = schedule_of(latent_layer(), 64, {4, 8}, 20);
  const Schedule four = schedule_of(latent_layer(), 64, {4, 8}, 20, options);
  CHECK(step(one, "attention.scores").instructions == 8 * 4);
  CHECK(step(four, "attention.scores").instructions == 2 * 16);
  CHECK(step(one, "attention.scores_reduce").words == 8 * 5);
  CHECK(step(four, "attention.scores_reduce").words == 2 * 5);
  CHECK(step(four, "attention.scores_reduce").line == 2);
  // 64 query inputs over 4 rows are 16 a row: all of one band's heads, or a quarter of them.
  CHECK(step(one, "latent.absorb_q").instructions == 16);
  CHECK(step(one, "latent.absorb_q").length == 4);
  CHECK(step(four, "latent.absorb_q").instructions == 4);
  CHECK(step(four, "latent.absorb_q").length == 16);
  CHECK(kernels::sram(four).kv == Bytes{(16 + 2) * 5 * 2});
  CHECK(kernels::latent_copies(8, 3, 100) == 2);
  CHECK(kernels::latent_copies(8, 8, 5) == 4);
}

TEST_CASE("sparse attention reads index_topk positions but keeps all, and says that its sizes are expectations") {
  models::Layer layer = latent_layer();
  layer.mixers[0].index_heads = 2;
  layer.mixers[0].index_head_dim = 8;
  layer.mixers[0].index_topk = 16;
  const Schedule s = schedule_of(layer, 64, {4, 8}, 400);
  CHECK(step(s, "attention.scores").length == 4);
  CHECK(step(s, "attention.scores").data_dependent);
  CHECK_FALSE(step(s, "index.scores").data_dependent);
  CHECK(step(s, "index.scores").length == 100);
  CHECK(step(s, "index.count_reduce").repeats == 16);
  CHECK(kernels::sram(s).kv == Bytes{(4 + 2 + 1) * 100 * 2});
  CHECK_FALSE(step(schedule_of(layer, 64, {4, 8}, 16), "attention.scores").data_dependent);
}

models::Layer moe_layer() {
  models::Layer layer;
  models::Ffn f;
  f.kind = models::FfnKind::moe;
  f.routed_experts = 16;
  f.active_experts = 4;
  f.expert_width = 24;
  f.shared_width = 12;
  layer.ffns.push_back(f);
  layer.norms = 1;
  return layer;
}

TEST_CASE("only chosen experts are swept, all are stored") {
  const Schedule s = schedule_of(moe_layer(), 32, {4, 6}, 1);
  CHECK(step(s, "experts.up_proj").instructions == 4 * 8);
  CHECK(step(s, "experts.up_proj").length == 4);
  CHECK(step(s, "experts.up_proj").weight_bytes == 4 * 8 * 4 * 2);
  CHECK(step(s, "experts.up_reduce").words == 4 * (4 + 4) + 2 + 2);  // routed and shared, up and gate, in one
  CHECK(step(s, "experts.down_reduce").words == 8);
  CHECK(step(s, "router.top_k").words == 8);
  CHECK(step(s, "router.top_k").wavelets == 8);
  // Experts, router (16 over 6 columns), shared expert, norm of 8.
  CHECK(kernels::sram(s).weights == Bytes{2 * (16 * 3 * 8 * 4 + 8 * 3 + 3 * 8 * 2 + 8)});
}

TEST_CASE("experts that are dealt out to bands give wider blocks and fewer instructions where the choice is balanced") {
  kernels::ScheduleOptions options;
  options.expert_bands = 2;
  const Schedule worst = schedule_of(moe_layer(), 32, {4, 6}, 1, options);
  CHECK(step(worst, "experts.up_proj").instructions == 4 * 8);
  CHECK(step(worst, "experts.up_proj").length == 8);
  options.experts_in_busiest_band = 2;
  const Schedule balanced = schedule_of(moe_layer(), 32, {4, 6}, 1, options);
  CHECK(step(balanced, "experts.up_proj").instructions == 2 * 8);
  CHECK(kernels::sram(balanced).weights == kernels::sram(schedule_of(moe_layer(), 32, {4, 6}, 1)).weights);
}

TEST_CASE("a pass of several tokens sweeps each chosen expert for each token, or the union of them once") {
  kernels::ScheduleOptions options;
  CHECK(step(schedule_of(moe_layer(), 32, {4, 6}, 1, options, 3), "experts.up_proj").weight_bytes == 3 * 4 * 8 * 4 * 2);
  options.weights_once_per_batch = true;
  options.distinct_experts = 9;
  const Schedule s = schedule_of(moe_layer(), 32, {4, 6}, 1, options, 3);
  CHECK(step(s, "experts.up_proj").weight_bytes == 9 * 8 * 4 * 2);
  CHECK(step(s, "experts.up_proj").macs == 3 * 4 * 8 * 4);
}

TEST_CASE("expected distinct experts: all of one token's, nearly all for many tokens") {
  CHECK(kernels::expected_distinct_experts(128, 8, 1) == Approx(8));
  CHECK(kernels::expected_distinct_experts(128, 8, 2) == Approx(8 + 8 - 64.0 / 128));
  CHECK(kernels::expected_distinct_experts(128, 8, 1000) == Approx(128));
}

TEST_CASE("expected experts in the busiest band equal an enumeration of all choices") {
  const int experts = 8, active = 3, bands = 4;
  double sum = 0, choices = 0;
  for (int mask = 0; mask < (1 << experts); ++mask) {
    if (__builtin_popcount(static_cast<unsigned>(mask)) != active) continue;
    int most = 0;
    for (int band = 0; band < bands; ++band)
      most = std::max(most, __builtin_popcount(static_cast<unsigned>(mask >> (2 * band)) & 3U));
    sum += most;
    ++choices;
  }
  CHECK(kernels::expected_busiest_band(experts, active, bands) == Approx(sum / choices));
  CHECK(kernels::expected_busiest_band(128, 8, 1) == Approx(8));
}

TEST_CASE("recurrent mixers keep a state that does not grow with the context") {
  models::Layer layer;
  models::Mixer m;
  m.kind = models::MixerKind::gated_delta_net;
  m.linear_key_heads = 2;
  m.linear_value_heads = 4;
  m.linear_key_head_dim = 8;
  m.linear_value_head_dim = 6;
  m.conv_kernel = 4;
  layer.mixers.push_back(m);
  layer.norms = 1;
  const Schedule s = schedule_of(layer, 32, {4, 4}, 5);
  // Bands of 2 columns for a key head: 2 value heads of 3 dimensions, 2 key rows; convolution: 3 inputs of q, k and v.
  CHECK(kernels::sram(s).state == Bytes{4 * (2 * 3 * 2 + 3 * (4 + 4 + 2 * 3))});
  CHECK(kernels::sram(s).kv == Bytes{0});
  CHECK(kernels::count(s).total == kernels::count(schedule_of(layer, 32, {4, 4}, 5000)).total);
  CHECK(step(s, "state.read_key").macs == 2 * 2 * 3);
}

TEST_CASE("the head sums logits to one row, which chooses along x; the embedding's owner multicasts") {
  models::Model model;
  model.hidden_size = 32;
  model.vocab_size = 100;
  Schedule s;
  kernels::Workshop shop = tests::workshop();
  kernels::build_head(model, {4, 6}, {1, 1, 1}, shop, s);
  CHECK(step(s, "head.lm_head").length == 17);
  CHECK(step(s, "head.reduce").to_root);
  CHECK(step(s, "head.reduce").words == 17);
  CHECK(step(s, "sampling.top_k").wavelets == 2);  // value and index
  CHECK(kernels::sram(s).weights == Bytes{8 * 17 * 2});
  kernels::build_embedding(model, {4, 6}, {2, 1, 1}, shop, s);
  CHECK(step(s, "embedding.multicast").words == 16);
  CHECK(step(s, "embedding.multicast").line == 6);
  kernels::build_transfer(32, {4, 6}, 10, {1, 1, 1}, shop, s);
  CHECK(step(s, "transfer.hidden").traffic.hops == 15);
  CHECK(step(s, "transfer.hidden").words == 8);
  kernels::build_feedback({4, 6}, 100, {1, 1, 1}, shop, s);
  CHECK(step(s, "sampling.feedback").words == 1);
}

}  // namespace
}  // namespace waferline
