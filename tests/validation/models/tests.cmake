waferline_test(validation models SOURCES models/active_counts.cpp models/kv_state.cpp models/param_counts.cpp
  DEPENDS Waferline::models Waferline::traces)
