waferline_test(unit recorded
  SOURCES recorded/perfetto.cpp recorded/replaced_file.cpp recorded/run_trace.cpp recorded/survives.cpp recorded/trace_file.cpp recorded/trace_refusals.cpp
  DEPENDS Waferline::traces nlohmann_json::nlohmann_json SANITIZED)
