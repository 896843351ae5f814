waferline_test(property kernels SOURCES kernels/laws.cpp DEPENDS Waferline::kernels)
