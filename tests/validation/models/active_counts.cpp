// Stored elements of packed checkpoints, and active parameters against what model cards say.
#include <array>
#include <cmath>

#include "models/inspect.hpp"
#include "models/library.hpp"
#include "models/weights.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::models;

namespace {

/// Elements as a header counts them: two 4-bit values share a byte. Sources: totals of the safetensors headers, by
/// LLMFIT.
struct Packed {
  const char* name;
  std::int64_t stored;
  bool scales_counted;         ///< some totals leave the fp8 scales and fp32 biases out
  std::int64_t router_biases;  ///< correction biases that this copy stores and that the family's bf16 totals leave out
};
constexpr std::array<Packed, 4> kPacked{{{"deepseek-v3.1-nvfp4", 393'632'819'968, true, 0},
                                         {"glm-5-nvfp4", 435'238'854'912, true, 0},
                                         {"nemotron-3-nano-30b-nvfp4", 18'237'772'608, true, 23 * 128},
                                         {"gemma-4-31b-nvfp4", 20'868'591'152, false, 0}}};

struct Sum {
  std::int64_t elements = 0;
  std::int64_t block_scales = 0;
  void add(const std::vector<Weight>& weights) {
    for (const Weight& weight : weights) {
      elements += weight.stored.dtype == DType::nvfp4 ? weight.elements() / 2 : weight.elements();
      block_scales += scale_elements(weight) - weight.count * weight.stored.tensor_scales;
    }
  }
};

}  // namespace

TEST_CASE("which modules are 4 bits and which are not gives the stored elements of packed checkpoints exactly") {
  for (const Packed& packed : kPacked) {
    INFO(packed.name);
    const Model model = load_model(packed.name);
    Sum sum;
    for (const Layer& layer : model.layers) sum.add(layer.weights);
    for (const Layer& layer : model.mtp_layers) sum.add(layer.weights);
    for (const auto* list : {&model.embedding, &model.final_norm, &model.mtp_extra, &model.vision}) sum.add(*list);
    if (!model.tied_embeddings) sum.add(model.head);
    CHECK(sum.elements + (packed.scales_counted ? sum.block_scales : 0) + packed.router_biases == packed.stored);
  }
}

namespace {

/// Billions of active parameters: with embedding and head, without the embedding. Derived from published shapes; the
/// card's figure is the one that a card's reader will compare with.
struct Active {
  const char* name;
  double with_both;
  double minus_embedding;
  double minus_both;
  double card;
};
constexpr std::array<Active, 12> kActive{{{"gpt-oss-120b", 5.712, 5.133, 4.554, 5.1},
                                          {"glm-4.5", 33.632, 32.856, 32.080, 32},
                                          {"glm-4.5-air", 13.424, 12.803, 12.183, 12},
                                          {"deepseek-v3", 37.552, 36.626, 35.699, 37},
                                          {"deepseek-v2", 21.376, 20.852, 20.327, 21},
                                          {"kimi-k2", 32.862, 31.687, 30.513, 32},
                                          {"llama-4-maverick", 17.185, 16.150, 15.116, 17},
                                          {"qwen3-235b-a22b", 22.191, 21.568, 20.946, 22},
                                          {"qwen3-30b-a3b", 3.353, 3.042, 2.731, 3},
                                          {"dbrx-132b-4bit", 36.470, 35.853, 35.237, 36},
                                          {"olmoe-1b-7b", 1.282, 1.179, 1.076, 1},
                                          {"ernie-4.5-21b-a3b", 3.352, 3.352, 3.087, 3}}};

}  // namespace

TEST_CASE(
    "active parameters agree with published shapes in all three ways of counting, and one of them with the card") {
  for (const Active& row : kActive) {
    INFO(row.name);
    const ActiveCounts counts = inspect(load_model(row.name), 0).active;
    const auto billions = [](std::int64_t n) { return static_cast<double>(n) / 1e9; };
    CHECK(std::abs(billions(counts.with_embedding_and_head) - row.with_both) < 0.0006);
    CHECK(std::abs(billions(counts.minus_embedding) - row.minus_embedding) < 0.0006);
    CHECK(std::abs(billions(counts.minus_both) - row.minus_both) < 0.0006);
    CHECK(std::abs(billions(counts.minus_both) / row.card - 1) < 0.15);
  }
}
