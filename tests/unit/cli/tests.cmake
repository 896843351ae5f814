waferline_test(unit cli SOURCES cli/argument_text.cpp DEPENDS waferline_cli SANITIZED)
