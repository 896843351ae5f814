waferline_test(unit pe_model SOURCES pe_model/cycles.cpp DEPENDS Waferline::kernels)
