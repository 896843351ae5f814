#pragma once
// The entry points that each instruction set's file defines.

#include "kernels/numerics/simd.hpp"

#if defined(__x86_64__)
#define WAFERLINE_SIMD_X86 1
#else
#define WAFERLINE_SIMD_X86 0
#endif

namespace waferline::kernels::simd {

#define WAFERLINE_SIMD_ENTRY_POINTS(set)                                                        \
  namespace set {                                                                               \
  void panel_partials(const Panel& panel, const float* x, std::span<const std::int64_t> bounds, \
                      bool fp16_accumulation, float* partial);                                  \
  void sum_panel(std::span<const PanelTerm> terms, const LineSum& line, float* slots);          \
  std::int64_t combine_sum(DType wire, const float* received, float* sum, std::int64_t n);      \
  std::int64_t round_to_fp16(float* values, std::int64_t n);                                    \
  void exp_in_place(float* values, std::int64_t n);                                             \
  }

WAFERLINE_SIMD_ENTRY_POINTS(portable)
#if WAFERLINE_SIMD_X86
WAFERLINE_SIMD_ENTRY_POINTS(avx2)
WAFERLINE_SIMD_ENTRY_POINTS(avx512)
#endif

}  // namespace waferline::kernels::simd
