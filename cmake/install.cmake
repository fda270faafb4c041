# What is installed, so that the whole prefix may be moved afterwards.
include(CMakePackageConfigHelpers)

set(am_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/am)
install(DIRECTORY libam/include/am DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS am EXPORT am_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT am_shared NAMESPACE am:: FILE amShared.cmake DESTINATION ${am_package_dir})
if(AM_BUILD_STATIC)
  install(TARGETS am_static EXPORT am_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT am_static NAMESPACE am:: FILE amStatic.cmake DESTINATION ${am_package_dir})
endif()

configure_package_config_file(packaging/amConfig.cmake.in ${PROJECT_BINARY_DIR}/amConfig.cmake
                              INSTALL_DESTINATION ${am_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/amConfig.cmake ${PROJECT_BINARY_DIR}/amConfigVersion.cmake
        DESTINATION ${am_package_dir})

# am.pc finds its prefix from where it stands.
file(RELATIVE_PATH am_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(packaging/am.pc.in ${PROJECT_BINARY_DIR}/am.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/am.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
