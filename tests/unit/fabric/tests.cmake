waferline_test(unit fabric SOURCES fabric/program.cpp fabric/timing.cpp DEPENDS Waferline::kernels)
