// Laws of the wafer estimate, each over random cases with a fixed seed.
#include <array>
#include <random>

#include "estimate/pass_time.hpp"
#include "estimate/wafer.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"

using waferline::load_software;
using waferline::load_wafer;
using waferline::SoftwareProfile;
using waferline::Wafer;
using waferline::estimate::Cause;
using waferline::estimate::DecodeEstimate;
using waferline::estimate::DecodeRequest;
using waferline::estimate::estimate_decode;
using waferline::estimate::kCauses;
using waferline::estimate::PassInputs;
using waferline::estimate::PassTime;
using waferline::estimate::time_pass;
using waferline::models::load_model;
using waferline::models::Model;

namespace {

constexpr std::array kModels{"llama-3.1-8b",  "qwen3-1.7b",       "gemma-2-9b",
                             "qwen3-30b-a3b", "deepseek-v2-lite", "mistral-7b"};
constexpr std::array kSoftware{"waferllm", "wafer-engine", "service-2024", "service-2026", "ideal"};

struct Case {
  Model model;
  SoftwareProfile software;
  DecodeRequest request;
};

/// A model on enough wafers for any of the contexts asked for.
Case random_case(std::mt19937& random) {
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  Case one{load_model(kModels[pick(kModels.size())]), load_software(kSoftware[pick(kSoftware.size())]), {}};
  one.request.context_tokens = std::uniform_int_distribution<std::int64_t>(1, 4000)(random);
  one.request.wafers = 6 + static_cast<std::int64_t>(pick(3));
  return one;
}

}  // namespace

TEST_CASE("More context never lowers the time per token on the same number of wafers") {
  std::mt19937 random(20240901);
  const Wafer wafer = load_wafer("wse3");
  for (int i = 0; i < 100; ++i) {
    Case one = random_case(random);
    const DecodeEstimate shorter = estimate_decode(one.model, wafer, one.software, one.request);
    one.request.context_tokens += std::uniform_int_distribution<std::int64_t>(1, 4000)(random);
    const DecodeEstimate longer = estimate_decode(one.model, wafer, one.software, one.request);
    INFO(one.model.name << " " << one.software.name << " " << one.request.context_tokens);
    CHECK(longer.tpot.expected.value >= shorter.tpot.expected.value * (1 - 1e-12));
  }
}

TEST_CASE("Twice the clock halves the time on wafers and leaves the rest, with the regions where they are") {
  std::mt19937 random(20240902);
  const Wafer wafer = load_wafer("wse3");
  Wafer fast = wafer;
  fast.clock.value = wafer.clock.value * 2;
  for (int i = 0; i < 60; ++i) {
    const Case one = random_case(random);
    const DecodeEstimate slow = estimate_decode(one.model, wafer, one.software, one.request);
    const auto kinds = waferline::mapping::group_layers(one.model);
    const PassInputs inputs{one.model, kinds, slow.placement, {1, one.request.context_tokens, 1}};
    const PassTime once = time_pass(inputs, wafer, one.software);
    const PassTime twice = time_pass(inputs, fast, one.software);
    CHECK(once.total().value == Approx(slow.pass.expected.value));
    for (std::size_t p = 0; p < kCauses; ++p) {
      const auto cause = static_cast<Cause>(p);
      if (cause == Cause::lm_head_and_sampling && !slow.placement.embedding_on_wafer) continue;  // a row over the I/O
      const double factor = cause == Cause::wafer_to_wafer ? 1 : 0.5;
      CHECK(twice.by_cause[cause].value == Approx(once.by_cause[cause].value * factor).margin(1e-15));
    }
    // Another placement may do better still, within the one percent that a placement gives away for room.
    const DecodeEstimate chosen = estimate_decode(one.model, fast, one.software, one.request);
    CHECK(chosen.pass.expected.value <= twice.total().value * 1.0101);
  }
}

TEST_CASE("The search and the estimate agree on the length of a pass") {
  std::mt19937 random(20240904);
  const Wafer wafer = load_wafer("wse3");
  for (int i = 0; i < 60; ++i) {
    const Case one = random_case(random);
    const DecodeEstimate result = estimate_decode(one.model, wafer, one.software, one.request);
    const double searched = (result.placement.search.pass / wafer.clock.value).value;
    const double row = result.placement.embedding_on_wafer
                           ? 0
                           : 2.0 * static_cast<double>(one.model.hidden_size) / wafer.links.io.value.value;
    INFO(one.model.name << " " << one.software.name << " " << one.request.context_tokens);
    CHECK(searched + row == Approx(result.pass.expected.value).epsilon(1e-9));
  }
}

TEST_CASE("No estimate is below a bound and every layer is placed once") {
  std::mt19937 random(20240903);
  const Wafer wafer = load_wafer("wse3");
  for (int i = 0; i < 60; ++i) {
    const Case one = random_case(random);
    const DecodeEstimate result = estimate_decode(one.model, wafer, one.software, one.request);
    for (const auto& bound : result.bounds) CHECK(bound.estimate_over_bound >= 1 - 1e-9);
    std::int64_t layers = 0;
    for (const auto& region : result.placement.regions) {
      layers += region.layer_count;
      CHECK(region.sram.used() <= region.sram.capacity);
    }
    CHECK(layers == static_cast<std::int64_t>(one.model.layers.size()));
    CHECK(result.placement.max_context_tokens >= one.request.context_tokens);
    CHECK(result.placement.max_users >= 1);
  }
}
