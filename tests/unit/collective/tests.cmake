waferline_test(unit collective SOURCES collective/line.cpp collective/plan.cpp collective/published.cpp DEPENDS Waferline::kernels)
