# One library per folder: waferline_library(arch SOURCES ... DEPENDS ... PRIVATE_DEPENDS ...)
add_library(waferline_options INTERFACE)
target_compile_features(waferline_options INTERFACE cxx_std_20)
target_compile_options(waferline_options INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<BOOL:${WAFERLINE_WERROR}>:$<BUILD_INTERFACE:-Werror>>
  # At -O3 gcc 12 warns about the insides of std::string where nothing is wrong (gcc bugs 105329, 105562); -O2 checks the same code.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:$<BUILD_INTERFACE:-Wno-restrict>;$<BUILD_INTERFACE:-Wno-maybe-uninitialized>>
  $<$<BOOL:${WAFERLINE_NATIVE}>:$<BUILD_INTERFACE:-march=native>>)
target_include_directories(waferline_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/waferline>)
set_target_properties(waferline_options PROPERTIES EXPORT_NAME options)
install(TARGETS waferline_options EXPORT WaferlineTargets)

function(waferline_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(waferline_${folder} STATIC ${ARG_SOURCES})
  add_library(Waferline::${folder} ALIAS waferline_${folder})
  target_link_libraries(waferline_${folder} PUBLIC waferline_options ${ARG_DEPENDS})
  foreach(dependency IN LISTS ARG_PRIVATE_DEPENDS)
    target_link_libraries(waferline_${folder} PRIVATE ${dependency})
  endforeach()
  set_target_properties(waferline_${folder} PROPERTIES EXPORT_NAME ${folder} POSITION_INDEPENDENT_CODE ON)
  install(TARGETS waferline_${folder} EXPORT WaferlineTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/waferline/${folder}
    FILES_MATCHING PATTERN "*.hpp")
endfunction()
