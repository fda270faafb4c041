# What is installed. The whole prefix may be moved afterwards.
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

# Writes an am.pc: am_configure_pc(<file> <prefix> <libdir> <includedir>), the last two below prefix.
function(am_configure_pc file am_prefix am_libdir am_includedir)
  # The libraries that a C compiler does not link and libam.a needs.
  set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(REMOVE_ITEM runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
  list(TRANSFORM runtime PREPEND -l)
  list(JOIN runtime " " am_runtime)
  configure_file(packaging/am.pc.in ${file} @ONLY)
endfunction()

# am.pc computes its prefix from its own place.
file(RELATIVE_PATH am_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
am_configure_pc(${PROJECT_BINARY_DIR}/am.pc "\${pcfiledir}/${am_pc_to_prefix}"
                ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/am.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The samples, to read and to build against what is installed.
install(DIRECTORY apps/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/am/examples)

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
  COMMENT "" VERBATIM)

if(NOT AM_SANITIZE)
  include(cmake/packages.cmake)
endif()
