waferline_test(validation models SOURCES models/param_counts.cpp DEPENDS Waferline::models Waferline::traces)
