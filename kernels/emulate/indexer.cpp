// Follows: the lightning indexer of DeepSeek-V3.2-Exp (technical report, section 2, equation 1); its threshold is found
// bit by bit, as a radix sort would (F15).
#include <bit>
#include <cmath>

#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"
#include "kernels/numerics/storage.hpp"

namespace waferline::kernels::emulate {
namespace {

/// Bits of a number of that type, so that larger numbers have larger bits.
std::uint32_t ordered_bits(DType dtype, float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (dtype == DType::fp16) bits = std::uint32_t{fp16_from_fp32(value)} << 16U;
  constexpr std::uint32_t kSign = 0x80000000U;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float value_of(DType dtype, std::uint32_t ordered) {
  constexpr std::uint32_t kSign = 0x80000000U;
  const std::uint32_t bits = (ordered & kSign) != 0 ? ordered & ~kSign : ~ordered;
  if (dtype == DType::fp16) return fp32_from_fp16(static_cast<std::uint16_t>(bits >> 16U));
  return std::bit_cast<float>(dtype == DType::bf16 ? bits & 0xFFFF0000U : bits);
}

}  // namespace

/// Sum over a band's heads of weight x relu(score). Every PE of a band has it; its first one passes it on.
void Machine::score_positions(const Step& step, StepCounters& counters) {
  const Buffer& scores = buffer(step.input);
  const Buffer& weights = buffer(step.second);
  Buffer& total = buffer(step.output);
  const Bands& heads = tensor(step.input).along_x;
  const DType stored = type(step.output);
  total.partial_axis = Axis::x;
  total.partial.assign(static_cast<std::size_t>(heads.parts * total.copies * total.elements()), 0.0F);
  std::vector<float> products(static_cast<std::size_t>(total.ys));
  for (std::int64_t band = 0; band < heads.heads; ++band) {
    const std::int64_t first = heads.banded() ? heads.band(band).begin : Split{heads.heads, heads.parts}.owner(band);
    for (std::int64_t copy = 0; copy < total.copies; ++copy) {
      float* sums = total.partial.data() + (first * total.copies + copy) * total.elements();
      for (std::int64_t head = band * heads.group; head < (band + 1) * heads.group; ++head) {
        const float weight = weights.of(copy)[static_cast<std::size_t>(head)];
        const float* row = scores.of(copy).data() + head * scores.ys;
        for (std::size_t i = 0; i < products.size(); ++i) products[i] = std::fmax(row[i], 0.0F) * weight;
        round_in_place(stored, products);
        for (std::size_t i = 0; i < products.size(); ++i) sums[i] = rounded(stored, sums[i] + products[i]);
      }
    }
  }
  if (heads.heads == 1) {  // nothing to reduce: each PE has the sum of all heads
    std::copy_n(total.partial.begin(), total.values.size(), total.values.begin());
    total.partial.clear();
  }
  const Bands& positions = tensor(step.input).along_y;
  for (const std::int64_t row : pieces(positions)) {
    for (const std::int64_t col : pieces(heads)) {
      PeWork work;
      work.instruction(positions.size(row), 2 * heads.size(col) * total.copies);
      observe_at(counters, row, col, work);
    }
  }
}

/// Each round tries one more bit of the threshold: if enough scores reach it, the bit stays.
void Machine::find_thresholds(const Step& step, StepCounters& counters) {
  const Buffer& total = buffer(step.input);
  Buffer& count = buffer(step.output);
  const Bands& positions = tensor(step.input).along_y;
  const DType stored = type(step.input);
  rounds_ = bits_per_element(stored);
  thresholds_.assign(static_cast<std::size_t>(total.copies), 0.0F);
  count.partial_axis = Axis::y;
  count.partial.assign(static_cast<std::size_t>(positions.parts * total.copies), 0.0F);
  for (std::int64_t copy = 0; copy < total.copies; ++copy) {
    const auto scores = total.of(copy);
    std::uint32_t threshold = 0;
    for (std::int64_t round = 0; round < rounds_; ++round) {
      const std::uint32_t tried = threshold | (0x80000000U >> static_cast<unsigned>(round));
      std::int64_t reached = 0;
      for (std::int64_t row = 0; row < positions.parts; ++row) {
        const Range own = positions.dims_at(row);
        std::int64_t here = 0;
        for (std::int64_t i = own.begin; i < own.end(); ++i)
          here += ordered_bits(stored, scores[static_cast<std::size_t>(i)]) >= tried ? 1 : 0;
        count.partial[static_cast<std::size_t>(row * total.copies + copy)] = static_cast<float>(here);
        reached += here;
      }
      if (reached >= step.rank) threshold = tried;
    }
    thresholds_[static_cast<std::size_t>(copy)] = value_of(stored, threshold);
  }
  if (positions.parts == 1) {
    std::copy(count.partial.begin(), count.partial.end(), count.values.begin());
    count.partial.clear();
  }
  counters.repeats = rounds_;
  for (const std::int64_t row : pieces(positions)) {
    PeWork work;
    work.instruction(positions.size(row), 2 * total.copies);
    observe(counters, Axis::y, row, work);
  }
}

}  // namespace waferline::kernels::emulate
