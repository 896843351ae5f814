waferline_test(unit estimate SOURCES estimate/gpu.cpp estimate/gpu_choice.cpp estimate/gpu_workload.cpp estimate/least_squares.cpp
  DEPENDS Waferline::estimate SANITIZED)
