#include "estimate/answer/prefill.hpp"

#include <cmath>
#include <random>

#include "arch/error.hpp"
#include "estimate/answer/prefill_timer.hpp"
#include "estimate/gpu_choice.hpp"
#include "estimate/gpu_workload.hpp"
#include "estimate/prefill_kernel.hpp"
#include "kernels/layer_schedule.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"

namespace waferline::estimate {
namespace {

/// Llama 3.1 8B on one WSE-3, placed once.
struct Placed {
  models::Model model = models::load_model("llama-3.1-8b");
  Wafer wafer = load_wafer("wse3");
  SoftwareProfile software = load_software("service-2024");
  DecodeEstimate decode;

  Placed() {
    DecodeRequest request;
    request.context_tokens = 8192;
    decode = estimate_decode(model, wafer, software, request);
  }
  PrefillEstimate prefill(const PrefillRequest& request) const {
    return estimate_prefill({model, wafer, software, decode.placement}, request);
  }
};

std::vector<Seconds> flow_line(const std::vector<std::vector<Seconds>>& chunks) {
  FlowLine line;
  std::vector<Seconds> ends;
  for (const std::vector<Seconds>& chunk : chunks) ends.push_back(line.send(chunk));
  return ends;
}

PrefillRates bare_rates() {
  PrefillRates rates;
  rates.instruction_cycles = 4.8;
  rates.rotation_cycles = 382;
  return rates;
}

}  // namespace

TEST_CASE("The layer of WaferLLM's kernel on a square counts as its closed form does") {
  for (const std::int64_t side : {480, 600, 660, 720}) {
    for (const std::int64_t tokens : {1, 2048, 4096}) {
      const PrefillKernelCounts kernel = count_prefill({4096, 14336, tokens, side, 4});
      const LayerPrefill layer = prefill_layer(kernels::released_waferllm_layer(4096, 14336), DType::fp16, {side, side},
                                               {tokens, 0}, bare_rates());
      CAPTURE(side, tokens);
      CHECK(layer.instructions == kernel.instructions);
      CHECK(layer.rotations == kernel.rotations);
      CHECK(layer.arithmetic_cycles == kernel.arithmetic);
      CHECK(layer.payload_cycles == 0);
      CHECK(layer.arithmetic_cycles + layer.overhead_cycles ==
            Approx(prefill_time(kernel, Cycles{4.8}, Cycles{382}).value));
      // What the closed form leaves out is small where it was fitted.
      CHECK(layer.softmax_cycles < 0.001 * layer.total().value);
    }
  }
}

TEST_CASE("A rectangle and the same rectangle turned take the same time") {
  const models::Model model = models::load_model("llama-3.1-8b");
  const auto cycles = [&](Extent extent) {
    return prefill_layer(model.layers[0], model.kv_dtype, extent, {512, 256}, bare_rates()).total().value;
  };
  CHECK(cycles({128, 256}) == cycles({256, 128}));
}

TEST_CASE("No layer takes less than its multiplies at the full rate of every PE") {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-120b", "deepseek-v3.2", "qwen3-next-80b-a3b", "gemma-3-4b"}) {
    const models::Model model = models::load_model(name);
    for (const std::int64_t tokens : {1, 100, 4096}) {
      const Extent extent{64, 96};
      for (const models::Layer& layer : model.layers) {
        double macs = 0;
        for (const models::Weight& weight : layer.weights) {
          if (weight.role != models::WeightRole::attention && weight.role != models::WeightRole::dense_ffn) continue;
          if (weight.cols > 64) macs += static_cast<double>(tokens * weight.elements());
        }
        const double least = macs / static_cast<double>(extent.pes()) / 4;
        const LayerPrefill time = prefill_layer(layer, model.kv_dtype, extent, {tokens, 0}, bare_rates());
        REQUIRE(time.total().value >= least * (1 - 1e-9));
        REQUIRE(std::isfinite(time.total().value));
      }
    }
  }
}

TEST_CASE("Chunks follow each other through stages without overtaking") {
  const Seconds a{1};
  const Seconds b{2};
  // Two stages of 1 s and 2 s: the second chunk waits for the first at the second stage.
  const std::vector<Seconds> ends = flow_line({{a, b}, {a, b}, {a, b}});
  CHECK(ends == std::vector<Seconds>{Seconds{3}, Seconds{5}, Seconds{7}});
  CHECK(flow_line({{b, a}, {b, a}}) == std::vector<Seconds>{Seconds{3}, Seconds{5}});
}

TEST_CASE("A flow line ends no sooner than its busiest stage, its longest chunk, and no later than both in line") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t stages = 1 + random() % 8;
    std::vector<std::vector<Seconds>> times(1 + random() % 8, std::vector<Seconds>(stages));
    double all = 0;
    std::vector<double> work(stages, 0);
    double longest = 0;
    for (auto& chunk : times) {
      double way = 0;
      for (std::size_t i = 0; i < stages; ++i) {
        chunk[i] = Seconds{1e-3 * static_cast<double>(1 + random() % 1000)};
        way += chunk[i].value;
        work[i] += chunk[i].value;
      }
      longest = std::max(longest, way);
      all += way;
    }
    const std::vector<Seconds> ends = flow_line(times);
    REQUIRE(ends.back().value >= *std::max_element(work.begin(), work.end()) * (1 - 1e-12));
    REQUIRE(ends.back().value >= longest * (1 - 1e-12));
    REQUIRE(ends.back().value <= all * (1 + 1e-12));
    for (std::size_t j = 1; j < ends.size(); ++j) REQUIRE(ends[j] > ends[j - 1]);
  }
}

TEST_CASE("The chunks of a prompt are its new tokens, each once and in order") {
  const std::vector<PromptChunk> chunks = chunks_of({1000, 100, {}}, 256);
  REQUIRE(chunks.size() == 4);
  std::int64_t at = 100;
  for (const PromptChunk& chunk : chunks) {
    CHECK(chunk.before == at);
    at += chunk.tokens;
  }
  CHECK(at == 1000);
  CHECK(chunks.back().tokens == 900 - 3 * 256);
}

TEST_CASE("A longer prompt takes longer, and a cached prefix takes time off but less than its share") {
  const Placed placed;
  double before = 0;
  for (const std::int64_t tokens : {1, 100, 1000, 4000}) {
    const double time = placed.prefill({tokens, 0, {}}).time.expected.value;
    CHECK(time > before);
    before = time;
  }
  const double whole = placed.prefill({4000, 0, 256}).time.expected.value;
  const double rest = placed.prefill({4000, 2000, 256}).time.expected.value;
  const double half = placed.prefill({2000, 0, 256}).time.expected.value;
  CHECK(rest < whole);
  CHECK(rest > half);
}

TEST_CASE("The chunk that is chosen is no slower than any power of two that fits, and none that does not fit runs") {
  const Placed placed;
  const PlacedModel model{placed.model, placed.wafer, placed.software, placed.decode.placement};
  const PrefillEstimate chosen = placed.prefill({2000, 0, {}});
  int tried = 0;
  for (std::int64_t size = 16; size <= 2048; size *= 2) {
    const std::int64_t tokens = std::min<std::int64_t>(size, 2000);
    const PromptChunk last{tokens, 2000 - tokens};
    if (prefill_shortage(model, last, PrefillMethod::products) > Bytes{0} &&
        prefill_shortage(model, last, PrefillMethod::rows) > Bytes{0}) {
      CHECK_THROWS_AS(placed.prefill({2000, 0, size}), DoesNotFit);
      continue;
    }
    ++tried;
    CHECK(chosen.time.expected.value <= placed.prefill({2000, 0, size}).time.expected.value * (1 + 1e-12));
  }
  CHECK(tried >= 2);
}

TEST_CASE("Layers timed at some lengths and on lines between them give the time of every chunk timed by itself") {
  const Placed placed;
  const PlacedModel model{placed.model, placed.wafer, placed.software, placed.decode.placement};
  const ProductOverheads overheads{Cycles{4.8}, Cycles{382}};
  for (const PrefillMethod method : {PrefillMethod::rows, PrefillMethod::products}) {
    PrefillTimer timer(model, {4000, 0, {}}, overheads);
    for (const std::int64_t before : {0, 13, 777, 2500, 3984}) {
      // A request of one chunk has nothing between its lengths.
      PrefillTimer alone(model, {before + 16, before, {}}, overheads);
      const std::vector<Seconds> exact = alone.stages({16, before}, method);
      const std::vector<Seconds>& on_line = timer.stages({16, before}, method);
      for (std::size_t i = 0; i < exact.size(); ++i) CHECK(on_line[i].value == Approx(exact[i].value).epsilon(0.01));
    }
  }
}

TEST_CASE("A chunk of one token as a row is a decode pass without the head") {
  const Placed placed;
  const PrefillEstimate one = placed.prefill({8192, 8191, 1});
  CHECK(one.method == PrefillMethod::rows);
  Seconds without_head;
  for (const BreakdownPart& part : placed.decode.breakdown) {
    if (part.name != "lm_head_and_sampling") without_head += part.time;
  }
  CHECK(one.time.expected.value == Approx(without_head.value).epsilon(0.02));
}

TEST_CASE("Few tokens go through as rows, many as matrix products") {
  const Placed placed;
  CHECK(placed.prefill({16, 0, {}}).method == PrefillMethod::rows);
  CHECK(placed.prefill({8000, 0, {}}).method == PrefillMethod::products);
}

TEST_CASE("Twice the clock halves the time on the wafer, and the band holds the expected time") {
  Placed placed;
  const PrefillEstimate slow = placed.prefill({1000, 0, 128});
  CHECK(slow.time.low < slow.time.expected);
  CHECK(slow.time.expected < slow.time.high);
  placed.wafer.clock.value = placed.wafer.clock.value * 2;
  const double fast = placed.prefill({1000, 0, 128}).time.expected.value;
  // The host's link sends the rows of the embedding at its own speed, if it sends them.
  CHECK(fast == Approx(slow.time.expected.value / 2).epsilon(0.02));
}

TEST_CASE("A prompt on GPUs takes at least its arithmetic and its weights at nominal rates") {
  const models::Model model = models::load_model("llama-3.1-70b");
  const Gpu gpu = load_gpu("h100");
  const EngineChoice choice = choose_gpu_engine(gpu, 8, load_engine_index());
  const EngineOnGpus system{gpu, 8, choice.engine, choice.widening};
  const GpuWorkload workload = gpu_workload(model, 4096);
  for (const std::int64_t tokens : {1, 64, 512, 4096}) {
    const double time = gpu_chunk_time(model, system, {tokens, 0}).value;
    const double flops = static_cast<double>(tokens) * workload.flops_per_token / (8 * 9.89e14);
    const double bytes = static_cast<double>(workload.weights_read.value) / (8 * gpu.bandwidth.value.value);
    CHECK(time >= flops);
    CHECK(time >= bytes);
  }
  // 70.6e9 parameters x 2 x 4,096 tokens at 0.65 of 8 x 989 TFLOP/s are 112 ms; 4,096 x 160 allreduces of 16 KB at 0.4
  // of the links, 104 ms.
  const double whole = estimate_gpu_prefill(model, system, {4096, 0, {}}).time.expected.value;
  CHECK(whole > 0.112 + 0.104);
  CHECK(whole < 0.240);
}

TEST_CASE("A chunk of one token on GPUs is a decode step, but for the token's own overhead") {
  const models::Model model = models::load_model("llama-3.1-70b");
  const Gpu gpu = load_gpu("h100");
  const EngineChoice choice = choose_gpu_engine(gpu, 8, load_engine_index());
  GpuLoad load;
  load.context_tokens = 2048;
  const GpuEstimate step = estimate_gpu(gpu_workload(model, 2048), gpu, 8, choice.engine, load);
  const Seconds chunk = gpu_chunk_time(model, {gpu, 8, choice.engine, 1}, {1, 2047});
  CHECK(chunk.value == Approx((step.expected - choice.engine.token_overhead.value).value));
}

TEST_CASE("Smaller chunks on GPUs take longer in all, and a cached prefix takes time off") {
  const models::Model model = models::load_model("llama-3.1-70b");
  const Gpu gpu = load_gpu("h100");
  const EngineChoice choice = choose_gpu_engine(gpu, 8, load_engine_index());
  const EngineOnGpus system{gpu, 8, choice.engine, choice.widening};
  const auto time = [&](const PrefillRequest& request) {
    return estimate_gpu_prefill(model, system, request).time.expected.value;
  };
  CHECK(time({4096, 0, 128}) > time({4096, 0, 1024}));
  CHECK(time({4096, 0, 1024}) > time({4096, 0, {}}));
  CHECK(time({4096, 2048, {}}) < time({4096, 0, {}}));
}

TEST_CASE("Prefill refuses counts that make no prompt, and GPUs whose arithmetic is not known") {
  CHECK_THROWS_AS(check(PrefillRequest{0, 0, {}}), ConfigError);
  CHECK_THROWS_AS(check(PrefillRequest{10, 10, {}}), ConfigError);
  CHECK_THROWS_AS(check(PrefillRequest{10, -1, {}}), ConfigError);
  CHECK_THROWS_AS(check(PrefillRequest{10, 0, 0}), ConfigError);
  const Gpu gpu = load_gpu("m2-ultra");
  const EngineChoice choice = choose_gpu_engine(gpu, 1, load_engine_index());
  CHECK_THROWS_AS(estimate_gpu_prefill(models::load_model("llama-3.1-8b"), {gpu, 1, choice.engine, 1}, {100, 0, {}}),
                  ConfigError);
}

}  // namespace waferline::estimate
