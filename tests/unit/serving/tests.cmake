waferline_test(unit serving SOURCES serving/closed_forms.cpp serving/run.cpp serving/speculation.cpp
  DEPENDS Waferline::estimate)
