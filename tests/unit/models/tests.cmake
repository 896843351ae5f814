waferline_test(unit models SOURCES models/config.cpp models/library.cpp DEPENDS Waferline::models SANITIZED)
