waferline_test(unit numerics SANITIZED
  SOURCES numerics/storage.cpp numerics/block_scaled.cpp numerics/contract.cpp numerics/simd.cpp numerics/line_sums.cpp
  DEPENDS Waferline::kernels)
