waferline_test(unit arch SANITIZED SOURCES arch/data_dir.cpp arch/json_text.cpp arch/hardware.cpp arch/object_reader.cpp DEPENDS Waferline::arch)
