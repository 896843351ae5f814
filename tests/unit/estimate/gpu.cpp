#include "estimate/gpu.hpp"

#include <cmath>
#include <stdexcept>

#include "arch/error.hpp"
#include "estimate/gpu_choice.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

constexpr std::int64_t llama3_70b_layers = 80;

/// Llama-3-70B in 16 bits; sizes from its config.json.
GpuWorkload llama3_70b(std::int64_t context) {
  GpuWorkload workload;
  workload.name = "llama-3-70b";
  workload.weights_read = Bytes{139'003'428'864};
  workload.weights_kept = Bytes{141'107'412'992};
  const Bytes cache{llama3_70b_layers * 2 * 8 * 128 * 2 * context};
  workload.kv = {{cache, cache, 8, 8}};
  workload.layers = llama3_70b_layers;
  workload.hidden_size = 8192;
  workload.flops_per_token = 2 * 68'451'041'280.0;
  workload.flops_per_pair = 4.0 * llama3_70b_layers * 64 * 128;
  return workload;
}

GpuWorkload llama2(std::int64_t layers, std::int64_t hidden, std::int64_t kv_heads, double weights_gb,
                   std::int64_t context) {
  GpuWorkload workload = llama3_70b(context);
  workload.name = "llama-2";
  workload.weights_read = Bytes{static_cast<std::int64_t>(weights_gb * 1e9)};
  workload.weights_kept = workload.weights_read;
  const Bytes cache{layers * 2 * kv_heads * 128 * 2 * context};
  workload.kv = {{cache, cache, kv_heads, hidden / 128 / kv_heads}};
  workload.layers = layers;
  workload.hidden_size = hidden;
  workload.flops_per_token = weights_gb * 1e9;
  workload.flops_per_pair = 4.0 * static_cast<double>(layers * hidden);
  return workload;
}

GpuLoad at(std::int64_t context, double batch = 1) {
  return {.context_tokens = context, .batch = batch};
}

Sourced<double> plain(double value) {
  return {value, std::nullopt, {}};
}

/// An engine whose constants are easy to follow: all fractions 1, no overhead.
GpuEngine perfect() {
  GpuEngine engine;
  engine.name = "perfect";
  engine.weight_bandwidth_fraction = plain(1);
  engine.kv_bandwidth_fraction = plain(1);
  engine.traits.arithmetic_fraction = plain(1);
  engine.traits.link_fraction = plain(1);
  engine.traits.memory_fraction = plain(1);
  engine.traits.layer_kernels = plain(14);
  return engine;
}

Gpu bare_gpu() {
  Gpu gpu;
  gpu.name = "bare";
  gpu.memory.value = Bytes{80'000'000'000};
  gpu.bandwidth.value = BytesPerSecond{1e12};
  gpu.scale_up.devices_per_node.value = 8;
  return gpu;
}

}  // namespace

TEST_CASE("the cache of grouped-query attention counts per KV head: 2.684 GB and not 21.47 GB") {
  const GpuWorkload workload = llama3_70b(8192);
  CHECK(workload.kv.front().read == Bytes{2'684'354'560});
  Gpu gpu = bare_gpu();
  gpu.memory.value = Bytes{1'000'000'000'000};
  const GpuTerms terms = gpu_terms(workload, gpu, 1, perfect().traits, at(8192));
  CHECK(terms.bound.value == Approx((139'003'428'864 + 2'684'354'560) / 1e12));
}

TEST_CASE("the cache is charged once per context token") {
  const GpuEngine engine = perfect();
  const auto time = [&](std::int64_t context) {
    return estimate_gpu(llama3_70b(context), bare_gpu(), 1, engine, at(context)).expected.value;
  };
  CHECK(time(5000) - time(4000) == Approx(1000 * 327'680 / 1e12));
}

TEST_CASE("the cache spreads over as many devices as there are KV heads and no more") {
  const GpuWorkload workload = llama3_70b(8192);
  const auto cache = [&](std::int64_t devices) {
    return gpu_terms(workload, bare_gpu(), devices, perfect().traits, at(8192)).kv.value;
  };
  CHECK(cache(8) == Approx(cache(1) / 8));
  CHECK(cache(16) == Approx(cache(8)));
}

TEST_CASE("the latent cache of MLA is read by every device") {
  GpuWorkload workload = llama3_70b(8192);
  workload.kv = {{Bytes{1'000'000'000}, Bytes{1'000'000'000}, 0, 1}};
  const auto terms = [&](std::int64_t devices) {
    return gpu_terms(workload, bare_gpu(), devices, perfect().traits, at(8192));
  };
  CHECK(terms(8).kv == terms(1).kv);
  CHECK(terms(8).memory_needed.value == Approx(141'107'412'992 / 8.0 + 1e9));
}

TEST_CASE(
    "a batch reads the expected union of its experts: 2 of 8 alone, 7.199 with eight tokens, never more than all") {
  const RoutedExperts mixtral{.layers = 1, .experts = 8, .active = 2, .bytes_per_expert = Bytes{1'000'000}};
  CHECK(expert_bytes_read(mixtral, 1) == Approx(2e6));
  CHECK(expert_bytes_read(mixtral, 8) == Approx(8e6 * (1 - std::pow(0.75, 8))));
  CHECK(expert_bytes_read(mixtral, 8) == Approx(7.199e6).epsilon(1e-4));
  CHECK(expert_bytes_read(mixtral, 1e6) == Approx(8e6));
  const RoutedExperts wide{.layers = 3, .experts = 256, .active = 8, .bytes_per_expert = Bytes{10}};
  CHECK(expert_bytes_read(wide, 1) == Approx(3 * 8 * 10));
}

TEST_CASE("experts that the token does not choose cost memory and no time") {
  GpuWorkload workload = llama3_70b(0);
  workload.weights_read = Bytes{10'000'000'000};
  workload.experts = {{32, 8, 2, Bytes{100'000'000}}};
  workload.weights_kept = Bytes{10'000'000'000 + 32 * 8 * 100'000'000LL};
  const GpuTerms terms = gpu_terms(workload, bare_gpu(), 1, perfect().traits, at(0));
  CHECK(terms.weights.value == Approx((10e9 + 32 * 2 * 0.1e9) / 1e12));
  CHECK(terms.memory_needed == workload.weights_kept);
}

TEST_CASE("bandwidths and memories are decimal: 3,350 GB/s is 3.35e12 bytes a second") {
  CHECK(load_gpu("h100").bandwidth.value == BytesPerSecond{3.35e12});
  CHECK(load_gpu("h100").memory.value == Bytes{80'000'000'000});
}

TEST_CASE("what does not fit says what is short, and a byte less fits") {
  GpuWorkload workload = llama3_70b(0);
  workload.kv.clear();
  workload.weights_kept = Bytes{80'000'000'000};
  CHECK(estimate_gpu(workload, bare_gpu(), 1, perfect(), at(0)).fits);
  workload.weights_kept = Bytes{80'000'000'001};
  CHECK_FALSE(estimate_gpu(workload, bare_gpu(), 1, perfect(), at(0)).fits);
  const GpuEstimate estimate = estimate_gpu(llama3_70b(8192), bare_gpu(), 1, perfect(), at(8192));
  CHECK(estimate.shortfall == "needs 143.8 GB on each of 1 bare, which has 80.0 GB: 63.8 GB short");
}

TEST_CASE("an engine that would beat its bytes over bandwidth is a bug and is reported as one") {
  GpuEngine engine = perfect();
  engine.weight_bandwidth_fraction = plain(1.5);
  CHECK_THROWS_AS(estimate_gpu(llama3_70b(8192), bare_gpu(), 1, engine, at(8192)), std::logic_error);
}

TEST_CASE("a kernel that a compute unit cannot feed is bound by the units where the limit was seen") {
  GpuEngine engine = perfect();
  engine.unit_read_limit = UnitReadLimit{{BytesPerCycle{5}, std::nullopt, {}}, {"ampere"}};
  Gpu gpu = bare_gpu();
  gpu.units = ComputeUnits{"ampere", {100, std::nullopt, {}}, {Hertz{1e9}, std::nullopt, {}}};
  CHECK(estimate_gpu(llama3_70b(0), gpu, 1, engine, at(0)).parts.front().time.value == Approx(139.003428864 / 500));
  gpu.units->architecture = "hopper";
  CHECK(estimate_gpu(llama3_70b(0), gpu, 1, engine, at(0)).parts.front().time.value == Approx(0.139003428864));
}

TEST_CASE("layers split over devices take turns: no device helps another and each holds its share") {
  GpuEngine engine = perfect();
  engine.traits.device_split = DeviceSplit::layers;
  const GpuEstimate one = estimate_gpu(llama3_70b(4096), bare_gpu(), 1, engine, at(4096));
  const GpuEstimate four = estimate_gpu(llama3_70b(4096), bare_gpu(), 4, engine, at(4096));
  CHECK(four.expected == one.expected);
  CHECK(four.bound == one.bound);
  CHECK(four.memory_needed.value == Approx(static_cast<double>(one.memory_needed.value) / 4));
}

TEST_CASE("an allreduce costs its time twice a layer, its rounds and its payload") {
  GpuEngine engine = perfect();
  engine.allreduce = {Seconds{1e-6}, std::nullopt, {}};
  Gpu gpu = bare_gpu();
  gpu.scale_up.link_per_direction = Sourced<BytesPerSecond>{BytesPerSecond{1e9}, std::nullopt, {}};
  const auto allreduce = [&](std::int64_t devices) {
    return estimate_gpu(llama3_70b(0), gpu, devices, engine, at(0)).parts[3].time.value;
  };
  const double payload = 160.0 * 8192 * 2 * 2 * 3 / 4 / 1e9;
  CHECK(allreduce(1) == 0);
  CHECK(allreduce(4) == Approx(160e-6 + payload));
  engine.traits.allreduce_rounds = AllreduceRounds::tree;
  CHECK(allreduce(4) == Approx(320e-6 + payload));
}

TEST_CASE("clients beyond what the memory takes wait and do not slow the others") {
  const Gpu gpu = load_gpu("h200");
  const EngineTraits traits = perfect().traits;
  GpuWorkload workload = llama3_70b(4096);
  workload.weights_read = workload.weights_kept = Bytes{70'000'000'000};
  GpuLoad load = at(4096, 1000);
  load.closed_loop = true;
  const GpuTerms terms = gpu_terms(workload, gpu, 1, traits, load);
  CHECK(terms.tokens == Approx((141e9 - 70e9) / (4096.0 * 327'680)));
  load.batch = 2;
  CHECK(gpu_terms(workload, gpu, 1, traits, load).tokens == 2);
}

TEST_CASE("more devices than a node joins and a mixture of experts are remarked on") {
  GpuWorkload workload = llama3_70b(0);
  CHECK(estimate_gpu(workload, bare_gpu(), 8, perfect(), at(0)).notes.empty());
  CHECK(estimate_gpu(workload, bare_gpu(), 9, perfect(), at(0)).notes.size() == 1);
  workload.experts = {{1, 8, 2, Bytes{1}}};
  CHECK(estimate_gpu(workload, bare_gpu(), 9, perfect(), at(0)).notes.size() == 2);
}

TEST_CASE("loads that make no sense are refused") {
  CHECK_THROWS_AS(gpu_terms(llama3_70b(0), bare_gpu(), 0, perfect().traits, at(0)), std::invalid_argument);
  CHECK_THROWS_AS(gpu_terms(llama3_70b(0), bare_gpu(), 1, perfect().traits, at(0, 0.5)), std::invalid_argument);
  CHECK_THROWS_AS(gpu_terms(llama3_70b(0), bare_gpu(), 1, perfect().traits, at(-1)), std::invalid_argument);
}

TEST_CASE(
    "where three roofline tools were 37 to 45 % too fast, the measured time lies in the band and above the bound") {
  struct Case {
    const char* what;
    GpuWorkload workload;
    const char* gpu;
    std::int64_t devices;
    const char* engine;
    std::int64_t context;
    double measured_ms;
  };
  const std::vector<Case> cases = {
      {"Llama-2-7B, A100", llama2(32, 4096, 32, 13.214, 100), "a100-80", 1, "gpt-fast", 100, 9.53},
      {"Llama-2-7B, H100", llama2(32, 4096, 32, 13.214, 192), "h100", 1, "trtllm-2024", 192, 6.60},
      {"Llama-2-70B, 8 A100", llama2(80, 8192, 8, 137.430, 100), "a100-80", 8, "gpt-fast", 100, 16.00},
      {"Llama-3-70B, 4 H100", llama3_70b(192), "h100", 4, "trtllm-2024", 192, 18.07},
  };
  for (const Case& one : cases) {
    const GpuEstimate estimate =
        estimate_gpu(one.workload, load_gpu(one.gpu), one.devices, load_gpu_engine(one.engine), at(one.context));
    INFO(one.what << ": " << estimate.low.value * 1e3 << " / " << estimate.expected.value * 1e3 << " / "
                  << estimate.high.value * 1e3 << " ms, bound " << estimate.bound.value * 1e3);
    CHECK(estimate.bound.value * 1e3 < 0.7 * one.measured_ms);
    CHECK(estimate.low.value * 1e3 <= one.measured_ms);
    CHECK(estimate.high.value * 1e3 >= one.measured_ms);
    CHECK(estimate.expected.value * 1e3 == Approx(one.measured_ms).epsilon(0.15));
  }
}
