waferline_test(unit mapping
  SOURCES mapping/grid.cpp mapping/packing.cpp mapping/place.cpp mapping/strips.cpp
  DEPENDS Waferline::mapping)
