waferline_test(property placement SOURCES placement/brute_force.cpp placement/laws.cpp placement/small_case.cpp
  DEPENDS Waferline::mapping)
