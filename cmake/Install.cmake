include(CMakePackageConfigHelpers)
set(WAFERLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Waferline)
install(EXPORT WaferlineTargets NAMESPACE Waferline:: DESTINATION ${WAFERLINE_CMAKE_DIR})
configure_package_config_file(cmake/WaferlineConfig.cmake.in WaferlineConfig.cmake INSTALL_DESTINATION ${WAFERLINE_CMAKE_DIR})
write_basic_package_version_file(WaferlineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/WaferlineConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/WaferlineConfigVersion.cmake
  DESTINATION ${WAFERLINE_CMAKE_DIR})

# The data that the program reads: one file a wafer, GPU, software profile, engine, model or set of published measurements.
foreach(folder arch/systems arch/gpus arch/software arch/engines models/library traces/published)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/waferline/${folder} OPTIONAL
    FILES_MATCHING PATTERN "*.toml" PATTERN "*.json" PATTERN "*.csv" PATTERN "*.md")
endforeach()
