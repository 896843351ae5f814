waferline_test(unit traces SOURCES traces/csv.cpp traces/gpu_rows.cpp DEPENDS Waferline::traces SANITIZED)
