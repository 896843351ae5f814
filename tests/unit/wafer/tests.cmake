waferline_test(unit wafer SOURCES wafer/calibrate.cpp wafer/estimate.cpp DEPENDS Waferline::estimate)
