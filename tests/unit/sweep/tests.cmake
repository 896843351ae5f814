waferline_test(unit sweep SOURCES sweep/points.cpp sweep/run.cpp sweep/settings.cpp sweep/value_lists.cpp sweep/hdf5.cpp
  DEPENDS waferline_cli SANITIZED)
