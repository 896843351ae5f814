#include "estimate/gpu_workload.hpp"

#include "models/kv.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

GpuWorkload of(const std::string& model, std::int64_t context) {
  return gpu_workload(models::load_model(model), context);
}

}  // namespace

TEST_CASE("a dense model reads all but its embedding: 137.43 GB of Llama-2-70B and 15.01 GB of Llama-3.1-8B") {
  CHECK(static_cast<double>(of("llama-2-70b", 0).weights_read.value) / 1e9 == Approx(137.43).epsilon(1e-4));
  CHECK(static_cast<double>(of("llama-3.1-8b", 0).weights_read.value) / 1e9 == Approx(15.009).epsilon(1e-4));
  CHECK(of("llama-3.1-8b", 0).weights_kept.value - of("llama-3.1-8b", 0).weights_read.value == 128'256LL * 4096 * 2);
}

TEST_CASE("the cache of Llama-3.1-70B at 8,192 tokens is 2.684 GB, per KV head") {
  const GpuWorkload workload = of("llama-3.1-70b", 8192);
  REQUIRE(workload.kv.size() == 1);
  CHECK(workload.kv.front().read == Bytes{2'684'354'560});
  CHECK(workload.kv.front().kv_heads == 8);
  CHECK(workload.kv.front().query_heads_per_kv_head == 8);
}

TEST_CASE("Mixtral reads two of eight experts for one token and keeps all") {
  const GpuWorkload workload = of("mixtral-8x7b", 0);
  REQUIRE(workload.experts.size() == 1);
  const RoutedExperts& experts = workload.experts.front();
  CHECK(experts.layers == 32);
  CHECK(experts.experts == 8);
  CHECK(experts.active == 2);
  CHECK(experts.bytes_per_expert == Bytes{3LL * 4096 * 14336 * 2});
  const double read = static_cast<double>(workload.weights_read.value) + expert_bytes_read(experts, 1);
  CHECK(read / 1e9 == Approx(25.496).epsilon(1e-3));
  CHECK(static_cast<double>(workload.weights_kept.value) / 1e9 == Approx(93.4).epsilon(1e-2));
}

TEST_CASE("the latent cache of DeepSeek-V3 is 576 numbers a layer and token, and no device shares it") {
  const GpuWorkload workload = of("deepseek-v3", 1000);
  REQUIRE(workload.kv.size() == 1);
  CHECK(workload.kv.front().kv_heads == 0);
  CHECK(workload.kv.front().kept.value == 61LL * 576 * 2 * 1000);
}

TEST_CASE("windows cut the cache and a state does not grow with the context") {
  const auto read = [](const std::string& model, std::int64_t context) {
    std::int64_t bytes = 0;
    for (const KvPart& part : of(model, context).kv) bytes += part.read.value;
    return bytes;
  };
  CHECK(read("gpt-oss-120b", 8192) < 2 * read("gpt-oss-120b", 4096));
  CHECK(read("qwen3-next-80b-a3b", 0) > 0);
  CHECK(read("qwen3-next-80b-a3b", 2000) - read("qwen3-next-80b-a3b", 1000) ==
        read("qwen3-next-80b-a3b", 1000) - read("qwen3-next-80b-a3b", 0));
}

TEST_CASE("weights in fp8 or NVFP4 are multiplied in it, and NVFP4 pays for bringing activations there") {
  models::Model model = models::load_model("llama-3.1-8b");
  const auto stored_in = [&](DType dtype) {
    for (models::Layer& layer : model.layers) {
      for (models::Weight& weight : layer.weights) {
        if (weight.role != models::WeightRole::norm) weight.stored.dtype = dtype;
      }
    }
    return gpu_workload(model, 0);
  };
  CHECK(stored_in(DType::nvfp4).multiply_type == DType::nvfp4);
  CHECK(stored_in(DType::nvfp4).layer_quantisations == 4);
  CHECK(stored_in(DType::fp8_e4m3).multiply_type == DType::fp8_e4m3);
  CHECK(stored_in(DType::fp8_e4m3).layer_quantisations == 0);
  CHECK(stored_in(DType::int4).multiply_type == DType::bf16);
  CHECK(stored_in(DType::int4).weights_read < stored_in(DType::bf16).weights_read);
}

TEST_CASE("every model of the library gives a workload that reads no more than it keeps, and something") {
  for (const models::LibraryEntry& entry : models::library_entries()) {
    INFO(entry.name);
    const GpuWorkload workload = of(entry.name, 4096);
    double experts = 0;
    for (const RoutedExperts& routed : workload.experts) experts += expert_bytes_read(routed, 1);
    const double read = static_cast<double>(workload.weights_read.value) + experts;
    CHECK(read > 0);
    CHECK(read <= static_cast<double>(workload.weights_kept.value) * (1 + 1e-9));
    const models::Model model = models::load_model(entry.name);
    const models::KvFigures figures = models::kv_figures(model, 4096, model.kv_dtype);
    Bytes kept{0};
    for (const KvPart& part : workload.kv) kept += part.kept;
    CHECK(kept == figures.at_context + figures.index_at_context + figures.state);
    CHECK(workload.flops_per_token > 0);
    CHECK(workload.layers > 0);
  }
}
