waferline_test(golden traces SOURCES traces/gpu_engines.cpp DEPENDS Waferline::traces)
