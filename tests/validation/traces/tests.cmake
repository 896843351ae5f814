waferline_test(validation traces SOURCES traces/gpu.cpp DEPENDS Waferline::traces)
