#include "kernels/numerics/simd.hpp"

#include "kernels/numerics/contract.hpp"
#include "kernels/numerics/simd_sets.hpp"

#if WAFERLINE_SIMD_X86
#include <cpuid.h>
#endif

namespace waferline::kernels::simd {

std::string_view name(InstructionSet set) {
  switch (set) {
    case InstructionSet::portable:
      return "portable";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "?";
}

#if WAFERLINE_SIMD_X86
/// Conversion between fp16 and fp32. Asked of the processor itself: clang 14 knows no such name.
bool converts_fp16() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

bool supported(InstructionSet set) {
#if WAFERLINE_SIMD_X86
  if (set == InstructionSet::avx2) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_fp16();
  }
  if (set == InstructionSet::avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
  }
#endif
  return set == InstructionSet::portable;
}

InstructionSet best() {
  static const InstructionSet widest = supported(InstructionSet::avx512) ? InstructionSet::avx512
                                       : supported(InstructionSet::avx2) ? InstructionSet::avx2
                                                                         : InstructionSet::portable;
  return widest;
}

void panel_partials(InstructionSet set, const Panel& panel, const float* x, std::span<const std::int64_t> bounds,
                    bool fp16_accumulation, float* partial) {
#if WAFERLINE_SIMD_X86
  if (set == InstructionSet::avx512) return avx512::panel_partials(panel, x, bounds, fp16_accumulation, partial);
  if (set == InstructionSet::avx2) return avx2::panel_partials(panel, x, bounds, fp16_accumulation, partial);
#endif
  portable::panel_partials(panel, x, bounds, fp16_accumulation, partial);
}

const float* sum_panel(InstructionSet set, std::span<const PanelTerm> terms, const LineSum& line, float* slots) {
#if WAFERLINE_SIMD_X86
  if (set == InstructionSet::avx512) avx512::sum_panel(terms, line, slots);
  if (set == InstructionSet::avx2) avx2::sum_panel(terms, line, slots);
#endif
  if (set == InstructionSet::portable) portable::sum_panel(terms, line, slots);
  return slots + line.root * kPanelOutputs;
}

void combine_sum(InstructionSet set, DType wire, const float* received, float* sum, std::int64_t n) {
  std::int64_t done = 0;
  if (wire == DType::fp32 || wire == DType::fp16 || wire == DType::bf16) {
#if WAFERLINE_SIMD_X86
    if (set == InstructionSet::avx512) done = avx512::combine_sum(wire, received, sum, n);
    if (set == InstructionSet::avx2) done = avx2::combine_sum(wire, received, sum, n);
#endif
  }
  for (; done < n; ++done) sum[done] = rounded(wire, sum[done] + received[done]);
}

void exp_in_place(InstructionSet set, float* values, std::int64_t n) {
#if WAFERLINE_SIMD_X86
  if (set == InstructionSet::avx512) return avx512::exp_in_place(values, n);
  if (set == InstructionSet::avx2) return avx2::exp_in_place(values, n);
#endif
  portable::exp_in_place(values, n);
}

void round_to_fp16(float* values, std::int64_t n) {
  std::int64_t done = 0;
#if WAFERLINE_SIMD_X86
  if (best() == InstructionSet::avx512) done = avx512::round_to_fp16(values, n);
  if (best() == InstructionSet::avx2) done = avx2::round_to_fp16(values, n);
#endif
  for (; done < n; ++done) values[done] = rounded(DType::fp16, values[done]);
}

}  // namespace waferline::kernels::simd
