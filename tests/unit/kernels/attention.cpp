// Attention of one token, worked out by hand on small rectangles.
#include <algorithm>

#include "kernels/count.hpp"
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

const Step* find(const Schedule& schedule, std::string_view label) {
  const auto at =
      std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const Step& s) { return s.label == label; });
  return at == schedule.steps.end() ? nullptr : &*at;
}

const Step& step(const Schedule& schedule, std::string_view label) {
  const Step* found = find(schedule, label);
  REQUIRE(found != nullptr);
  return *found;
}

// Eight query heads over two KV heads of 16 dimensions, on 4 rows and 6 columns: bands of 3 columns, 8 pairs over 3 PEs
// are 3 pairs or 6 dimensions on the busiest; values lie singly, 16 over 3 are 6 as well. 10 positions are 3 a row.
const models::Layer kGrouped = tests::llama_layer(8, 2, 16, 40);

TEST_CASE("query heads that share a KV head lie in its band of columns") {
  const Schedule s = schedule_of(kGrouped, 32, {4, 6}, 10);
  const Step& q = step(s, "attention.q_proj");
  CHECK(q.instructions == 8);  // 32 inputs over 4 rows
  CHECK(q.length == 4 * 6);
  CHECK(step(s, "attention.k_proj").length == 6);
  const Step& reduce = step(s, "attention.qkv_reduce");
  CHECK(reduce.line == 4);
  CHECK(reduce.words == 24 + 6 + 6);
  CHECK(reduce.wavelets == 12 + 3 + 3);  // two fp16 in a wavelet
}

TEST_CASE("scores are summed within the band, softmax and values along the rows") {
  const Schedule s = schedule_of(kGrouped, 32, {4, 6}, 10);
  CHECK(step(s, "attention.scores").instructions == 4 * 6);
  CHECK(step(s, "attention.scores").length == 3);
  CHECK(step(s, "attention.scores_reduce").line == 3);
  CHECK(step(s, "attention.scores_reduce").words == 4 * 3);
  CHECK(step(s, "softmax.max_reduce").line == 4);
  CHECK(step(s, "softmax.max_reduce").words == 4);
  CHECK(step(s, "softmax.exp").exponentials == 4 * 3);
  CHECK(step(s, "attention.values").instructions == 4 * 3);
  CHECK(step(s, "attention.values").length == 6);
  CHECK(step(s, "attention.values_reduce").words == 4 * 6);
  CHECK(step(s, "softmax.divide").specials == 4);
}

TEST_CASE("a rectangle with fewer columns than KV heads keeps heads whole and sums no scores across columns") {
  const Schedule s = schedule_of(tests::llama_layer(12, 6, 16, 40), 32, {4, 4}, 10);
  CHECK(find(s, "attention.scores_reduce") == nullptr);
  CHECK(step(s, "attention.scores").instructions == 2 * 2 * 16);  // two KV heads, two query heads each
}

TEST_CASE("a KV cache takes its positions over the rows and its dimensions over the band, each once for KV heads") {
  const Schedule s = schedule_of(kGrouped, 32, {4, 6}, 10);
  CHECK(kernels::sram(s).kv == Bytes{(6 + 6) * 3 * 2});
  const Schedule longer = schedule_of(kGrouped, 32, {4, 6}, 13);
  CHECK(kernels::sram(longer).kv == Bytes{(6 + 6) * 4 * 2});
  const Schedule batch = schedule_of(kGrouped, 32, {4, 6}, 10, {}, 3);
  CHECK(kernels::sram(batch).kv == Bytes{3 * (6 + 6) * 3 * 2});
}

TEST_CASE("a new token appends one position and every row passes at most one up by one hop") {
  const Schedule s = schedule_of(kGrouped, 32, {4, 6}, 10);
  CHECK(step(s, "attention.append_k").length == 6);
  CHECK(step(s, "attention.kv_shift").words == 12);
  CHECK(step(s, "attention.kv_shift").distance == 1);
  CHECK(step(s, "attention.kv_shift").traffic.hops == 1);
  CHECK(find(schedule_of(kGrouped, 32, {1, 6}, 10), "attention.kv_shift") == nullptr);
}

TEST_CASE("sliding attention keeps and reads no more positions than its window") {
  models::Layer layer = kGrouped;
  layer.mixers[0].kind = models::MixerKind::sliding_attention;
  layer.mixers[0].window = 8;
  CHECK(kernels::sram(schedule_of(layer, 32, {4, 6}, 1000)).kv == Bytes{(6 + 6) * 2 * 2});
  CHECK(kernels::count(schedule_of(layer, 32, {4, 6}, 1000)).total ==
        kernels::count(schedule_of(layer, 32, {4, 6}, 8)).total);
}

TEST_CASE("a layer that shares an earlier cache projects queries only and owns no cache") {
  models::Layer layer = kGrouped;
  layer.mixers[0].shares_kv = true;
  const Schedule s = schedule_of(layer, 32, {4, 6}, 10);
  CHECK(kernels::sram(s).kv == Bytes{0});
  CHECK(find(s, "attention.k_proj") == nullptr);
  CHECK(find(s, "attention.kv_shift") == nullptr);
  CHECK(step(s, "attention.scores").macs == 4 * 6 * 3);
}

TEST_CASE("the softmax sum can travel with the values, which saves one all-reduce") {
  kernels::ScheduleOptions options;
  options.sum_with_values = true;
  const Schedule apart = schedule_of(kGrouped, 32, {4, 6}, 10);
  const Schedule together = schedule_of(kGrouped, 32, {4, 6}, 10, options);
  CHECK(kernels::count(together).total.collectives == kernels::count(apart).total.collectives - 1);
  CHECK(kernels::count(together).total.words == kernels::count(apart).total.words);
  CHECK(step(together, "attention.values_reduce").words == 4 * 6 + 4);
}

TEST_CASE("gates, biases, head norms and sinks add their steps and nothing else") {
  models::Layer layer = kGrouped;
  const std::size_t plain = schedule_of(layer, 32, {4, 6}, 10).steps.size();
  const auto extra = [&](auto change) {
    models::Layer changed = kGrouped;
    change(changed.mixers[0]);
    return schedule_of(changed, 32, {4, 6}, 10).steps.size() - plain;
  };
  CHECK(extra([](models::Mixer& m) { m.output_gate = true; }) == 2);  // projection, product
  CHECK(extra([](models::Mixer& m) { m.qkv_bias = true; }) == 3);
  CHECK(extra([](models::Mixer& m) { m.out_bias = true; }) == 1);
  CHECK(extra([](models::Mixer& m) { m.qk_norm = true; }) == 5);  // two square sums, one all-reduce, two scalings
  CHECK(extra([](models::Mixer& m) { m.sinks = true; }) == 1);
  CHECK(extra([](models::Mixer& m) { m.q_lora_rank = 8; }) == 6);
}

TEST_CASE("the shorter loop issues fewer instructions for the same multiply-accumulates") {
  kernels::ScheduleOptions options;
  options.loop = LoopOrder::shorter;
  const Schedule s = schedule_of(kGrouped, 32, {4, 6}, 10, options);
  CHECK(step(s, "attention.k_proj").instructions == 6);
  CHECK(step(s, "attention.k_proj").length == 8);
  CHECK(step(s, "attention.scores").instructions == 4 * 3);
  CHECK(kernels::count(s).total.macs == kernels::count(schedule_of(kGrouped, 32, {4, 6}, 10)).total.macs);
}

// Qwen3-1.7B on 256 x 256 PEs of a WSE-3: about 220 cycles for each further KV row of a PE, layer by layer.
TEST_CASE("the slope of Qwen3-1.7B with context needs an exponential of 60 to 100 cycles") {
  models::Layer layer = tests::llama_layer(16, 8, 128, 6144);
  layer.mixers[0].qk_norm = true;
  const auto cycles = [&](std::int64_t context, double exponential) {
    kernels::Rates rates = tests::waferllm_rates(20, 20);
    rates.element_instruction_cycles = 20;
    rates.exponential_cycles = exponential;
    return kernels::time(schedule_of(layer, 2048, {256, 256}, context), rates).total().value;
  };
  const auto slope = [&](double exponential) {
    return (cycles(256 * 24, exponential) - cycles(256 * 8, exponential)) / 16;
  };
  CHECK(slope(60) < 220);
  CHECK(slope(100) > 220);
  CHECK(slope(0) > 30);
}

}  // namespace
}  // namespace waferline
