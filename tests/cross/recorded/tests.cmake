waferline_test(cross recorded SOURCES recorded/runs.cpp emulate/random_layer.cpp DEPENDS Waferline::traces)
