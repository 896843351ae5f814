waferline_test(validation traces TIMEOUT 1200 SOURCES traces/gpu.cpp traces/prefill.cpp traces/wafer.cpp DEPENDS Waferline::traces)
