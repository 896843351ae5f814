waferline_test(unit kernels SANITIZED SOURCES kernels/attention.cpp kernels/library.cpp kernels/mixers.cpp kernels/storage.cpp kernels/waferllm.cpp
  DEPENDS Waferline::kernels)
