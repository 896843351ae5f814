waferline_test(validation placement SOURCES placement/tuner.cpp DEPENDS Waferline::mapping)
