waferline_test(property hostile SANITIZED SOURCES hostile/configs.cpp hostile/mutations.cpp
  DEPENDS Waferline::models nlohmann_json::nlohmann_json)
