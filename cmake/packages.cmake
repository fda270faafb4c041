# Debian packages, by `cmake --build <build> --target package`, in <build>/packages: the built
# programs as Debian requires them. The library is in lib/<architecture>, nothing has a run path,
# and the programs of am-calibrate's peers have a package of their own, so that no tool of libam
# depends on an MPI. tests/packages checks that every installed file is in one package.
set(CPACK_PACKAGE_CONTACT "the libam authors <libam@example.org>")  # until they have a home
set(CPACK_PACKAGE_HOMEPAGE_URL "https://example.org/libam")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(am_components libam0 libam-dev am-tools)
set(am_deb_lib lib)
if(CMAKE_LIBRARY_ARCHITECTURE)
  set(am_deb_lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
set(am_deb_made ${PROJECT_BINARY_DIR}/packages/made)
set(am_debian ${PROJECT_SOURCE_DIR}/packaging/debian)

# Installs for one component only; `cmake --install` leaves it out.
macro(am_deb component)
  install(${ARGN} COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

# ---- contents -----------------------------------------------------------------------------------

install(TARGETS am EXPORT am_deb_shared
        LIBRARY DESTINATION ${am_deb_lib} COMPONENT libam0 NAMELINK_COMPONENT libam-dev
        EXCLUDE_FROM_ALL)

if(TARGET am_module_tcp)
  am_deb(libam0 TARGETS am_module_tcp LIBRARY DESTINATION ${am_deb_lib}/am)
endif()

foreach(module ucx pmix)
  if(TARGET am_module_${module})
    list(APPEND am_components libam-${module})
    am_deb(libam-${module} TARGETS am_module_${module} LIBRARY DESTINATION ${am_deb_lib}/am)
  endif()
endforeach()

set(am_deb_package_dir ${am_deb_lib}/cmake/am)
am_deb(libam-dev DIRECTORY libam/include/am DESTINATION include)
am_deb(libam-dev EXPORT am_deb_shared NAMESPACE am:: FILE amShared.cmake
       DESTINATION ${am_deb_package_dir})
if(AM_BUILD_STATIC)
  am_deb(libam-dev TARGETS am_static EXPORT am_deb_static DESTINATION ${am_deb_lib})
  am_deb(libam-dev EXPORT am_deb_static NAMESPACE am:: FILE amStatic.cmake
         DESTINATION ${am_deb_package_dir})
endif()
am_deb(libam-dev FILES ${PROJECT_BINARY_DIR}/amConfig.cmake
       ${PROJECT_BINARY_DIR}/amConfigVersion.cmake DESTINATION ${am_deb_package_dir})
am_configure_pc(${am_deb_made}/am.pc /usr ${am_deb_lib} include)
am_deb(libam-dev FILES ${am_deb_made}/am.pc DESTINATION ${am_deb_lib}/pkgconfig)
am_deb(libam-dev DIRECTORY apps/ DESTINATION share/doc/libam-dev/examples)

am_deb(am-tools TARGETS am-run am-info am-dial am-trace am-calibrate am-suite DESTINATION bin)
foreach(mpi openmpi mpich)  # not linked with MPI
  if(TARGET am_dial_mpi_${mpi})
    am_deb(am-tools TARGETS am_dial_mpi_${mpi} LIBRARY DESTINATION lib/am)
  endif()
endforeach()
am_deb(am-tools DIRECTORY ${PROJECT_BINARY_DIR}/share/man ${PROJECT_BINARY_DIR}/share/bash-completion
       DESTINATION share)

get_property(am_layers DIRECTORY calib PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER am_layers INCLUDE REGEX "^am_calib_")
foreach(layer IN LISTS am_layers)
  get_target_property(type ${layer} TYPE)
  set(component am-tools)
  if(layer MATCHES "[_-](openmpi|mpich|ucx-am|rpc)$")
    set(component am-peers)
    list(APPEND am_components am-peers)
  endif()
  if(type STREQUAL EXECUTABLE)
    am_deb(${component} TARGETS ${layer} DESTINATION lib/am/calib)
  endif()
endforeach()
foreach(folder splitc nist)
  get_property(am_programs DIRECTORY apps/${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(program IN LISTS am_programs)
    am_deb(am-tools TARGETS ${program} DESTINATION lib/am/suite)
  endforeach()
endforeach()
get_property(am_programs DIRECTORY apps/mpi PROPERTY BUILDSYSTEM_TARGETS)
foreach(program IN LISTS am_programs)
  string(REGEX REPLACE "-.*" "" mpi ${program})
  am_deb(am-peers TARGETS ${program} DESTINATION lib/am/suite/${mpi})
endforeach()
list(REMOVE_DUPLICATES am_components)

am_deb(libam0 FILES ${am_debian}/libam0.overrides DESTINATION share/lintian/overrides RENAME libam0)
string(TIMESTAMP am_deb_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${am_debian}/changelog.in ${am_deb_made}/changelog.Debian @ONLY)
foreach(component IN LISTS am_components)
  am_deb(${component} FILES LICENSE DESTINATION share/doc/${component} RENAME copyright)
  am_deb(${component} FILES ${am_deb_made}/changelog.Debian DESTINATION share/doc/${component})
endforeach()

# ---- descriptions -------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libam)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each component has its own
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PRE_BUILD_SCRIPTS ${am_debian}/finish.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${am_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE libam)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)

# am_deb_control(component section depends description…): one argument per line of the description.
function(am_deb_control component section depends)
  string(TOUPPER ${component} upper)
  list(JOIN ARGN "\n" description)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
endfunction()

set(am_this_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
am_deb_control(libam0 libs ""
  "Active Messages between processes (library)"
  "A message names the function that handles it where it arrives. libam brings it"
  "to another process of the same job, over shared memory or TCP.")
am_deb_control(libam-dev libdevel "libam0 ${am_this_version}"
  "Active Messages between processes (development files)"
  "Headers for C and C++, the CMake package am, am.pc for pkg-config, and samples.")
am_deb_control(libam-ucx libs "libam0 ${am_this_version}"
  "Active Messages between processes (over UCX)"
  "With it libam's messages go through UCX, over InfiniBand, RoCE, TCP and what"
  "else UCX has found.")
am_deb_control(libam-pmix libs "libam0 ${am_this_version}"
  "Active Messages between processes (under mpirun and srun)"
  "With it programs of libam join the jobs of launchers that bring a PMIx server"
  "along: mpirun of Open MPI, srun --mpi=pmix.")
am_deb_control(am-tools utils "libam0 ${am_this_version}"
  "Active Messages between processes (tools)"
  "am-run starts the processes of a job, am-info tells how libam sees the machine,"
  "am-trace shows where the time of a job went,"
  "am-calibrate measures what a message costs there, am-suite what programs do, and"
  "am-dial makes messages of MPI programs cost more.")
am_deb_control(am-peers utils "am-tools ${am_this_version}"
  "Active Messages between processes (programs of the peers)"
  "With these programs am-calibrate and am-suite measure MPI, UCX and ONC RPC"
  "beside libam.")
set(CPACK_DEBIAN_LIBAM0_PACKAGE_SUGGESTS "libam-ucx, libam-pmix")
set(CPACK_DEBIAN_AM-TOOLS_PACKAGE_SUGGESTS am-peers)
set(CPACK_DEBIAN_AM-PEERS_PACKAGE_RECOMMENDS "openmpi-bin, mpich")

# Packages that link libam.so.0 depend on the version of libam0 that its symbols file names.
configure_file(${am_debian}/libam0.symbols ${am_deb_made}/symbols COPYONLY)
configure_file(${am_debian}/libam0.triggers ${am_deb_made}/triggers COPYONLY)
set(CPACK_DEBIAN_LIBAM0_PACKAGE_CONTROL_EXTRA ${am_deb_made}/symbols ${am_deb_made}/triggers)
configure_file(${am_debian}/am-tools.postrm ${am_deb_made}/postrm COPYONLY)
set(CPACK_DEBIAN_AM-TOOLS_PACKAGE_CONTROL_EXTRA ${am_deb_made}/postrm)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
include(CPack)
