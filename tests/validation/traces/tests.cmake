waferline_test(validation traces SOURCES traces/gpu.cpp traces/prefill.cpp traces/wafer.cpp DEPENDS Waferline::traces)
