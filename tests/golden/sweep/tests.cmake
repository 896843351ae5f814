waferline_test(golden sweep TIMEOUT 900 SOURCES sweep/content.cpp sweep/resume.cpp command_line/schema_check.cpp
  DEPENDS Waferline::report Waferline::traces nlohmann_json::nlohmann_json)
add_dependencies(test_golden_sweep waferline)
target_compile_definitions(test_golden_sweep PRIVATE WAFERLINE_PROGRAM="$<TARGET_FILE:waferline>")
