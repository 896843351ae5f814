waferline_test(unit estimate SOURCES estimate/least_squares.cpp DEPENDS Waferline::estimate SANITIZED)
