#include "estimate/gpu_choice.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

EngineChoice choice(const std::string& gpu, std::int64_t devices) {
  static const std::vector<EngineSummary> engines = load_engine_index();
  return choose_gpu_engine(load_gpu(gpu), devices, engines);
}

}  // namespace

TEST_CASE("a GPU that was measured gets the newest engine that was measured on it, and says when") {
  const EngineChoice h100 = choice("h100", 8);
  CHECK(h100.engine.name == "silicon-vllm-70b");
  CHECK(h100.same_gpu);
  CHECK(h100.widening == 1);
  CHECK(h100.reason == "vLLM as measured in 2025-2026 on h100");
  CHECK(choice("mi300x", 8).engine.name == "vllm-rocm-2024");
  CHECK(choice("a100-40", 4).same_gpu);
}

TEST_CASE("of two engines as new on the same GPU the one with the smaller error on what it did not see is taken") {
  const EngineChoice b200 = choice("b200", 8);
  CHECK(b200.engine.name == "silicon-trtllm-70b");
  const double error = *b200.engine.fit.held_out_mean_abs_error_pct;
  CHECK(error <= *load_gpu_engine("silicon-vllm-70b").fit.held_out_mean_abs_error_pct);
}

TEST_CASE("a class of few rows speaks only where there is no other") {
  CHECK(choice("a100-80", 8).engine.name == "lmdeploy-a100");  // and not gpt-fast, newer but of eight rows
  CHECK(choice("sn40l", 8).engine.name == "sambaflow-sn40l");
}

TEST_CASE("a GPU that was not measured gets the nearest one's engine, says so and has a wider band") {
  const EngineChoice mi355x = choice("mi355x", 8);
  CHECK(mi355x.engine.name == "vllm-rocm-2024");
  CHECK_FALSE(mi355x.same_gpu);
  CHECK(mi355x.widening == other_gpu_widening);
  CHECK(mi355x.reason.find("vLLM as measured in 2024 on mi300x, the nearest to mi355x that was measured") == 0);
  CHECK(choice("m3-ultra", 1).engine.name == "llamacpp-metal");
  const EngineChoice gb200 = choice("gb200", 8);  // as fast as a B200, and yet another one
  CHECK(gb200.engine.name.starts_with("silicon-"));
  CHECK_FALSE(gb200.same_gpu);
  CHECK_FALSE(choice("tpu-v5e", 1).same_gpu);
}

TEST_CASE("several devices get an engine that ran an allreduce or one that splits by layers") {
  CHECK(choice("rtx-4090", 2).engine.name == "llamacpp-layersplit");
  CHECK(choice("rtx-4090", 1).engine.traits.device_split == DeviceSplit::layers);
  for (const std::string& gpu : list_gpus()) {
    const GpuEngine engine = choice(gpu, 8).engine;
    INFO(gpu << ": " << engine.name);
    CHECK((engine.traits.device_split == DeviceSplit::layers ||
           engine.allreduce.provenance.kind == ProvenanceKind::fitted));
  }
}

TEST_CASE("the index of engines is what the profiles say") {
  std::vector<EngineSummary> profiles;
  for (const std::string& name : list_gpu_engines()) profiles.push_back(summarise(load_gpu_engine(name)));
  const std::vector<EngineSummary> index = load_engine_index();
  REQUIRE(index.size() == profiles.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    CHECK(index[i].held_out_mean_abs_error_pct == Approx(profiles[i].held_out_mean_abs_error_pct).margin(1e-3));
    profiles[i].held_out_mean_abs_error_pct = index[i].held_out_mean_abs_error_pct;
    CHECK(index[i] == profiles[i]);
  }
}

TEST_CASE("no engine at all is an error and not a guess") {
  CHECK_THROWS_AS(choose_gpu_engine(load_gpu("h100"), 1, {}), std::invalid_argument);
}
