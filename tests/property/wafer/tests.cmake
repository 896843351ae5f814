waferline_test(property wafer SOURCES wafer/laws.cpp DEPENDS Waferline::estimate)
