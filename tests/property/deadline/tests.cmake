waferline_test(property deadline SOURCES deadline/laws.cpp DEPENDS Waferline::estimate)
