#include "estimate/gpu.hpp"

#include <algorithm>
#include <random>

#include "estimate/gpu_choice.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

/// A random request on a GPU and an engine that come with Waferline.
class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {
    for (const std::string& name : list_gpus()) gpus_.push_back(load_gpu(name));
    for (const std::string& name : list_gpu_engines()) engines_.push_back(load_gpu_engine(name));
  }

  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  const Gpu& gpu() { return gpus_[static_cast<std::size_t>(whole(0, std::ssize(gpus_) - 1))]; }
  const GpuEngine& engine() { return engines_[static_cast<std::size_t>(whole(0, std::ssize(engines_) - 1))]; }

  GpuWorkload workload() {
    GpuWorkload workload;
    workload.name = "random";
    workload.layers = whole(1, 130);
    workload.hidden_size = 128 * whole(1, 128);
    workload.weights_read = Bytes{whole(1'000'000, 400'000'000'000)};
    workload.weights_kept = workload.weights_read;
    if (whole(0, 1) == 1) {
      const std::int64_t experts = whole(2, 256);
      workload.experts = {{workload.layers, experts, whole(1, experts), Bytes{whole(1000, 100'000'000)}}};
    }
    const Bytes cache{whole(0, 20'000'000'000)};
    workload.kv = {{cache, cache, whole(0, 64), whole(1, 16)}};
    workload.flops_per_token = static_cast<double>(whole(1'000'000, 400'000'000'000));
    workload.layer_quantisations = whole(0, 4);
    return workload;
  }

 private:
  std::mt19937_64 random_;
  std::vector<Gpu> gpus_;
  std::vector<GpuEngine> engines_;
};

}  // namespace

TEST_CASE("no estimate is below its bytes over bandwidth, its band encloses it, and its parts add up to it") {
  Draws draws(1);
  for (int i = 0; i < 2000; ++i) {
    const GpuWorkload workload = draws.workload();
    const GpuLoad load{.context_tokens = draws.whole(0, 100'000), .batch = static_cast<double>(draws.whole(1, 256))};
    const std::int64_t devices = draws.whole(1, 16);
    const GpuEstimate estimate = estimate_gpu(workload, draws.gpu(), devices, draws.engine(), load);
    REQUIRE(estimate.expected.value >= estimate.bound.value * (1 - 1e-9));
    REQUIRE(estimate.low >= estimate.bound);
    REQUIRE(estimate.low.value <= estimate.expected.value * (1 + 1e-9));
    REQUIRE(estimate.high >= estimate.expected);
    Seconds sum{0};
    for (const GpuPart& part : estimate.parts) sum += part.time;
    REQUIRE(sum.value == Approx(estimate.expected.value).epsilon(1e-12));
  }
}

TEST_CASE("more cache, more sequences or more weights never make a step faster") {
  Draws draws(2);
  for (int i = 0; i < 1000; ++i) {
    const GpuWorkload workload = draws.workload();
    const Gpu& gpu = draws.gpu();
    const GpuEngine& engine = draws.engine();
    const std::int64_t devices = draws.whole(1, 8);
    const GpuLoad load{.context_tokens = 1000, .batch = static_cast<double>(draws.whole(1, 64))};
    const auto time = [&](const GpuWorkload& of, const GpuLoad& under) {
      return estimate_gpu(of, gpu, devices, engine, under).expected.value * (1 + 1e-9);
    };
    const double base = time(workload, load);
    GpuLoad more = load;
    more.batch += 1;
    REQUIRE(time(workload, more) >= base / (1 + 1e-9));
    GpuWorkload longer = workload;
    longer.kv.front().read += Bytes{1'000'000};
    REQUIRE(time(longer, load) >= base / (1 + 1e-9));
    GpuWorkload larger = workload;
    larger.weights_read += Bytes{1'000'000};
    REQUIRE(time(larger, load) >= base / (1 + 1e-9));
  }
}

TEST_CASE("twice the bandwidth halves the bound and never slows a step") {
  Draws draws(3);
  for (int i = 0; i < 1000; ++i) {
    const GpuWorkload workload = draws.workload();
    const Gpu gpu = draws.gpu();
    const GpuEngine& engine = draws.engine();
    Gpu fast = gpu;
    fast.bandwidth.value.value *= 2;
    if (fast.achieved_bandwidth) fast.achieved_bandwidth->value.value *= 2;
    const GpuLoad load{.context_tokens = 1000, .batch = 1};
    const GpuEstimate slow_estimate = estimate_gpu(workload, gpu, 1, engine, load);
    const GpuEstimate fast_estimate = estimate_gpu(workload, fast, 1, engine, load);
    REQUIRE(fast_estimate.bound.value == Approx(slow_estimate.bound.value / 2));
    REQUIRE(fast_estimate.expected.value <= slow_estimate.expected.value * (1 + 1e-9));
  }
}

TEST_CASE("a wider band encloses the narrower one") {
  Draws draws(4);
  for (int i = 0; i < 500; ++i) {
    const GpuWorkload workload = draws.workload();
    const Gpu& gpu = draws.gpu();
    const GpuEngine& engine = draws.engine();
    const GpuLoad load{.context_tokens = 1000, .batch = 1};
    const GpuEstimate narrow = estimate_gpu(workload, gpu, 1, engine, load);
    const GpuEstimate wide = estimate_gpu(workload, gpu, 1, engine, load, other_gpu_widening);
    REQUIRE(wide.low <= narrow.low);
    REQUIRE(wide.high >= narrow.high);
    REQUIRE(wide.expected == narrow.expected);
  }
}
