include(CMakePackageConfigHelpers)
set(WAFERLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Waferline)
install(EXPORT WaferlineTargets NAMESPACE Waferline:: DESTINATION ${WAFERLINE_CMAKE_DIR})
configure_package_config_file(cmake/WaferlineConfig.cmake.in WaferlineConfig.cmake INSTALL_DESTINATION ${WAFERLINE_CMAKE_DIR})
write_basic_package_version_file(WaferlineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/WaferlineConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/WaferlineConfigVersion.cmake
  DESTINATION ${WAFERLINE_CMAKE_DIR})
