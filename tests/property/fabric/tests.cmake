waferline_test(property fabric SOURCES fabric/agreement.cpp fabric/sweeps.cpp fabric/threads.cpp DEPENDS Waferline::kernels)
