waferline_test(property estimate SOURCES estimate/gpu.cpp DEPENDS Waferline::estimate)
