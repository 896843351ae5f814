waferline_test(unit kernels SOURCES kernels/library.cpp kernels/waferllm.cpp DEPENDS Waferline::kernels)
