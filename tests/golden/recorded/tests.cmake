waferline_test(golden recorded SOURCES recorded/files.cpp recorded/summary.cpp recorded/readers.cpp command_line/schema_check.cpp
  DEPENDS Waferline::report nlohmann_json::nlohmann_json)
add_dependencies(test_golden_recorded waferline)
target_compile_definitions(test_golden_recorded PRIVATE WAFERLINE_PROGRAM="$<TARGET_FILE:waferline>")
