# Headers, libraries, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keel)
file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/keel.pc.in keel.pc @ONLY)
configure_file(cmake/keelConfig.cmake.in keelConfig.cmake COPYONLY)
write_basic_package_version_file(keelConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS keel keel_static EXPORT keelTargets)
install(TARGETS keel_command)
install(DIRECTORY include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(EXPORT keelTargets NAMESPACE keel:: DESTINATION ${package_dir})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/keelConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/keelConfigVersion.cmake"
        DESTINATION ${package_dir})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/keel.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# All that an installation copies: `./dev demo` builds it, so that it can be followed by `cmake --install`.
add_custom_target(installed DEPENDS keel keel_static keel_command keel_man)
