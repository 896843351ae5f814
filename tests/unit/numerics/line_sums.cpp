// Products of a line summed in one pass over a panel have the bits of all local sums folded one combine at a time.
#include <bit>
#include <random>
#include <vector>

#include "kernels/emulate/fold.hpp"
#include "kernels/emulate/panel_matrix.hpp"
#include "kernels/numerics/contract.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;

namespace {

constexpr std::int64_t kOutputs = simd::kPanelOutputs;
constexpr std::int64_t kInputs = 93;  // ragged over every line below

std::vector<CollectivePlan> plans_of(std::int64_t pes) {
  std::vector<CollectivePlan> plans{{Algorithm::chain, Root::end, 1, {}}, {Algorithm::star, Root::end, 1, {}}};
  if (pes == 16) plans.push_back(k_tree_plan(pes, {4, 4}, Root::middle));
  if (pes == 40) plans.push_back(k_tree_plan(pes, {7, 6}, Root::end));
  if (pes == 40) plans.push_back(k_tree_plan(pes, {4, 3, 4}, Root::middle));
  return plans;
}

/// The same sums by the plain way: all partial sums of the line, rounded after each term, then one combine at a time.
std::vector<float> folded(const Fold& fold, std::span<const simd::PanelTerm> terms, DType wire, bool fp16) {
  std::vector<float> partial(static_cast<std::size_t>(fold.pes * kOutputs));
  for (const simd::PanelTerm& term : terms) {
    simd::panel_partials(simd::InstructionSet::portable, term.panel, term.x, term.bounds, fp16, partial.data());
    round_in_place(wire, partial);
  }
  const auto sum = run_fold(fold, Reduction::sum, wire, simd::InstructionSet::portable, partial, kOutputs);
  return {sum.begin(), sum.end()};
}

bool same_bits(std::span<const float> a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

void check_sums(const Fold& fold, std::span<const simd::PanelTerm> terms, DType wire, bool fp16) {
  const std::vector<float> expected = folded(fold, terms, wire, fp16);
  for (const auto set : {simd::InstructionSet::portable, simd::InstructionSet::avx2, simd::InstructionSet::avx512}) {
    if (!simd::supported(set)) continue;
    std::vector<float> scratch;
    INFO(simd::name(set) << ", " << name(wire) << " wire, fp16 sums " << fp16 << ", " << terms.size() << " terms");
    CHECK(same_bits(sum_products(fold, terms, wire, fp16, set, scratch), expected));
  }
}

}  // namespace

TEST_CASE("A line's products in one pass have the bits of separate products and combines") {
  std::mt19937 random(20261203);
  std::normal_distribution<float> normal;
  std::vector<float> x(2 * kInputs);
  for (float& value : x) value = rounded(DType::fp16, normal(random));
  for (const std::int64_t pes : {1, 2, 7, 16, 40}) {
    const Bands bands{1, kInputs, pes, 1, 1, false};
    for (const DType stored : {DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int4, DType::fp8_e4m3}) {
      const PanelMatrix first(1, kOutputs, stored, bands, 1);
      const PanelMatrix second(2, kOutputs, stored, bands, 1);
      const std::vector<simd::PanelTerm> terms{{first.panel(0), x.data(), first.order().bounds},
                                               {second.panel(0), x.data() + kInputs, second.order().bounds}};
      INFO(pes << " PEs, weights in " << name(stored));
      for (const CollectivePlan& plan : plans_of(pes)) {
        INFO("levels " << plan.levels << ", root in the middle " << (plan.root == Root::middle));
        const Fold fold = fold_of(plan, pes);
        for (const DType wire : {DType::fp32, DType::fp16, DType::bf16, DType::fp8_e4m3}) {
          for (const bool fp16 : {false, true}) {
            check_sums(fold, {terms.data(), 1}, wire, fp16);
            check_sums(fold, terms, wire, fp16);
          }
        }
      }
    }
  }
}

TEST_CASE("A line's sum in a two-level tree keeps few local sums at a time") {
  CHECK(fold_of(k_tree_plan(660, {26, 26}, Root::middle), 660).slots < 64);
  CHECK(fold_of(k_tree_plan(660, {26, 26}, Root::end), 660).slots < 64);
}
