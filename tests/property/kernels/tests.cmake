waferline_test(property kernels SANITIZED SOURCES kernels/laws.cpp DEPENDS Waferline::kernels)
