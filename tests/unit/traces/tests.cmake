waferline_test(unit traces SOURCES traces/csv.cpp traces/gpu_rows.cpp traces/published_speeds.cpp traces/stated_bands.cpp DEPENDS Waferline::traces SANITIZED)
