waferline_test(unit mapping
  SOURCES mapping/grid.cpp mapping/packing.cpp mapping/place.cpp
  DEPENDS Waferline::mapping)
