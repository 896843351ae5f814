waferline_test(property sweep TIMEOUT 600 SOURCES sweep/laws.cpp sweep/directions.cpp DEPENDS Waferline::estimate)
