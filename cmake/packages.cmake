# Packages of the built programs, in <build>/packages: Debian's by `cmake --build <build> --target
# package` (or RPMs where there is no dpkg), RPMs by `cpack -G RPM`. Here is what each package has;
# debian.cmake and rpm.cmake add what the two kinds require. The library is in a system folder,
# nothing has a run path, and the programs of am-calibrate's peers have a package of their own, so
# that no tool of libam depends on an MPI. packaging/files.txt lists every file, and tests/packages
# holds the packages and the install tree against it.
set(am_components libam0 libam-dev am-tools)
set(am_package_lib ${CMAKE_INSTALL_LIBDIR})         # of libraries
set(am_package_private ${CMAKE_INSTALL_LIBDIR}/am)  # of programs that commands start
if(CMAKE_LIBRARY_ARCHITECTURE)
  set(am_package_lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
  set(am_package_private lib/am)
endif()
set(am_packages_made ${PROJECT_BINARY_DIR}/packages/made)
set(am_debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(am_rpm ${PROJECT_SOURCE_DIR}/packaging/rpm)

# Installs for one component only; `cmake --install` leaves it out.
macro(am_pack component)
  install(${ARGN} COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

install(TARGETS am EXPORT am_packed_shared
        LIBRARY DESTINATION ${am_package_lib} COMPONENT libam0 NAMELINK_COMPONENT libam-dev
        EXCLUDE_FROM_ALL)

if(TARGET am_module_tcp)
  am_pack(libam0 TARGETS am_module_tcp LIBRARY DESTINATION ${am_package_lib}/am)
endif()

foreach(module ucx pmix)
  if(TARGET am_module_${module})
    list(APPEND am_components libam-${module})
    am_pack(libam-${module} TARGETS am_module_${module} LIBRARY DESTINATION ${am_package_lib}/am)
  endif()
endforeach()

set(am_package_cmake_dir ${am_package_lib}/cmake/am)
am_pack(libam-dev DIRECTORY libam/include/am DESTINATION include)
am_pack(libam-dev EXPORT am_packed_shared NAMESPACE am:: FILE amShared.cmake
       DESTINATION ${am_package_cmake_dir})
if(AM_BUILD_STATIC)
  am_pack(libam-dev TARGETS am_static EXPORT am_packed_static DESTINATION ${am_package_lib})
  am_pack(libam-dev EXPORT am_packed_static NAMESPACE am:: FILE amStatic.cmake
         DESTINATION ${am_package_cmake_dir})
endif()
am_pack(libam-dev FILES ${PROJECT_BINARY_DIR}/amConfig.cmake
       ${PROJECT_BINARY_DIR}/amConfigVersion.cmake DESTINATION ${am_package_cmake_dir})
am_configure_pc(${am_packages_made}/am.pc /usr ${am_package_lib} include)
am_pack(libam-dev FILES ${am_packages_made}/am.pc DESTINATION ${am_package_lib}/pkgconfig)
am_pack(libam-dev DIRECTORY apps/ DESTINATION share/doc/libam-dev/examples)

am_pack(am-tools TARGETS am-run am-info am-dial am-trace am-calibrate am-suite DESTINATION bin)
foreach(mpi openmpi mpich)  # not linked with MPI
  if(TARGET am_dial_mpi_${mpi})
    am_pack(am-tools TARGETS am_dial_mpi_${mpi} LIBRARY DESTINATION ${am_package_private})
  endif()
endforeach()
am_pack(am-tools DIRECTORY ${PROJECT_BINARY_DIR}/share/man ${PROJECT_BINARY_DIR}/share/bash-completion
       DESTINATION share)

# The machine is measured once; an install tree has no place where a system looks for this.
set(am_systemd ${PROJECT_SOURCE_DIR}/packaging/systemd)
am_pack(am-tools FILES ${am_systemd}/am-calibrate.service ${am_systemd}/am-calibrate.timer
        DESTINATION lib/systemd/system)
am_pack(am-tools FILES ${am_systemd}/am-tools.default DESTINATION /etc/default RENAME am-tools)

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
    am_pack(${component} TARGETS ${layer} DESTINATION ${am_package_private}/calib)
  endif()
endforeach()
foreach(folder splitc nist)
  get_property(am_programs DIRECTORY apps/${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(program IN LISTS am_programs)
    am_pack(am-tools TARGETS ${program} DESTINATION ${am_package_private}/suite)
  endforeach()
endforeach()
get_property(am_programs DIRECTORY apps/mpi PROPERTY BUILDSYSTEM_TARGETS)
foreach(program IN LISTS am_programs)
  string(REGEX REPLACE "-.*" "" mpi ${program})
  am_pack(am-peers TARGETS ${program} DESTINATION ${am_package_private}/suite/${mpi})
endforeach()
list(REMOVE_DUPLICATES am_components)

foreach(component IN LISTS am_components)
  am_pack(${component} FILES LICENSE DESTINATION share/doc/${component} RENAME copyright)
endforeach()

# ---- descriptions -------------------------------------------------------------------------------

find_program(AM_DPKG_DEB dpkg-deb)
mark_as_advanced(AM_DPKG_DEB)
set(CPACK_GENERATOR RPM)
if(AM_DPKG_DEB)
  set(CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME libam)
set(CPACK_PACKAGE_CONTACT "the libam authors <libam@example.org>")  # until they have a home
set(CPACK_PACKAGE_HOMEPAGE_URL "https://example.org/libam")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each component has its own
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/finish.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${am_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)

# am_describe(component summary description…): one argument per line of the description.
function(am_describe component summary)
  string(TOUPPER ${component} upper)
  list(JOIN ARGN "\n" description)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  set(CPACK_RPM_${component}_PACKAGE_SUMMARY "${summary}" PARENT_SCOPE)
  set(CPACK_RPM_${component}_PACKAGE_DESCRIPTION "${description}" PARENT_SCOPE)
endfunction()

am_describe(libam0 "Active Messages between processes (library)"
  "A message names the function that handles it where it arrives. libam brings it"
  "to another process of the same job, over shared memory or TCP.")
am_describe(libam-dev "Active Messages between processes (development files)"
  "Headers for C and C++, the CMake package am, am.pc for pkg-config, and samples.")
am_describe(libam-ucx "Active Messages between processes (over UCX)"
  "With it libam's messages go through UCX, over InfiniBand, RoCE, TCP and what"
  "else UCX has found.")
am_describe(libam-pmix "Active Messages between processes (under mpirun and srun)"
  "With it programs of libam join the jobs of launchers that bring a PMIx server"
  "along: mpirun of Open MPI, srun --mpi=pmix.")
am_describe(am-tools "Active Messages between processes (tools)"
  "am-run starts the processes of a job, am-info tells how libam sees the machine,"
  "am-trace shows where the time of a job went, am-calibrate measures what a"
  "message costs there, am-suite what programs do, and am-dial makes messages of"
  "MPI programs cost more.")
am_describe(am-peers "Active Messages between processes (programs of the peers)"
  "With these programs am-calibrate and am-suite measure MPI, UCX and ONC RPC"
  "beside libam.")

include(cmake/debian.cmake)
include(cmake/rpm.cmake)
include(CPack)
