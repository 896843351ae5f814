waferline_test(unit models
  SOURCES models/config.cpp models/families.cpp models/gguf.cpp models/inspect.cpp models/kv.cpp models/library.cpp models/module_pattern.cpp
    models/safetensors.cpp models/traps.cpp
  DEPENDS Waferline::models SANITIZED)
