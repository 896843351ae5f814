waferline_test(golden placement SOURCES placement/naive.cpp DEPENDS Waferline::mapping fmt::fmt)
