waferline_test(unit report SOURCES report/chart.cpp report/deadline.cpp report/heat_map.cpp report/html.cpp report/inspect.cpp report/number.cpp report/page.cpp report/trace.cpp
  DEPENDS Waferline::report nlohmann_json::nlohmann_json)
