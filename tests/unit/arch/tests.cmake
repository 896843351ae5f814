waferline_test(unit arch SANITIZED
  SOURCES arch/data_dir.cpp arch/hostile_hardware.cpp arch/json_text.cpp arch/object_reader.cpp arch/profiles.cpp arch/provenance.cpp
    arch/toml_text.cpp arch/wafer.cpp arch/write_file.cpp
  DEPENDS Waferline::arch)
