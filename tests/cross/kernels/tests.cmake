waferline_test(cross kernels SOURCES kernels/enumeration.cpp DEPENDS Waferline::kernels)
