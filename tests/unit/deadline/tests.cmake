waferline_test(unit deadline SOURCES deadline/published_cases.cpp deadline/study.cpp DEPENDS Waferline::estimate)
