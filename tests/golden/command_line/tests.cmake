waferline_test(golden command_line
  SOURCES command_line/html_page.cpp command_line/reviewed.cpp command_line/robustness.cpp command_line/schema.cpp command_line/schema_check.cpp
  DEPENDS Waferline::report nlohmann_json::nlohmann_json)
add_dependencies(test_golden_command_line waferline)
target_compile_definitions(test_golden_command_line PRIVATE WAFERLINE_PROGRAM="$<TARGET_FILE:waferline>")
