waferline_test(validation microbench SOURCES microbench/published.cpp DEPENDS Waferline::traces)
