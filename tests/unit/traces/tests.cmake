waferline_test(unit traces SOURCES traces/csv.cpp DEPENDS Waferline::traces SANITIZED)
