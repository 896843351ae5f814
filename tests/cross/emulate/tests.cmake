waferline_test(cross emulate SOURCES emulate/tiny_model.cpp emulate/counters.cpp emulate/random_layer.cpp emulate/kernels.cpp emulate/gguf.cpp DEPENDS Waferline::kernels TIMEOUT 1200)
