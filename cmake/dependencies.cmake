# What libam needs from the system. One message names everything that is missing, by purpose and
# Debian package. Each dependency that is found becomes a target am_dep_<name>.
find_package(PkgConfig)
find_package(Threads REQUIRED)
set(am_missing "")

# A header-only library, of which only the folder is needed.
function(am_need_header name header package purpose)
  find_path(AM_${name}_INCLUDE ${header})
  mark_as_advanced(AM_${name}_INCLUDE)
  add_library(am_dep_${name} INTERFACE)
  if(AM_${name}_INCLUDE)
    # A system folder is searched anyway; naming it would only reorder folders.
    if(NOT AM_${name}_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      target_include_directories(am_dep_${name} SYSTEM INTERFACE ${AM_${name}_INCLUDE})
    endif()
  else()
    set(am_missing "${am_missing}\n  ${package}  (${header}): ${purpose}" PARENT_SCOPE)
  endif()
endfunction()

am_need_header(boost boost/lockfree/queue.hpp libboost-dev "queues between threads")
am_need_header(fmt fmt/format.h libfmt-dev "text of messages")
am_need_header(xxhash xxhash.h libxxhash-dev "the check of frames")
am_need_header(cli11 CLI/CLI.hpp libcli11-dev "command lines of the tools")
am_need_header(json nlohmann/json.hpp nlohmann-json3-dev "JSON of the tools")
if(BUILD_TESTING)
  am_need_header(doctest doctest/doctest.h doctest-dev "the tests; or -DBUILD_TESTING=OFF")
endif()

add_library(am_dep_hwloc INTERFACE)
if(NOT PKG_CONFIG_FOUND)
  string(APPEND am_missing "\n  pkg-config: finds hwloc")
else()
  pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
  if(HWLOC_FOUND)
    target_link_libraries(am_dep_hwloc INTERFACE PkgConfig::HWLOC)
  else()
    string(APPEND am_missing "\n  libhwloc-dev  (hwloc.pc): cores and caches of the machine")
  endif()
endif()

# A library of a module, which is not built without it. Sets AM_HAS_<name>.
function(am_module_library name pc package purpose)
  add_library(am_dep_${name} INTERFACE)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(AM_DEP_${name} QUIET IMPORTED_TARGET ${pc})
  endif()
  set(AM_HAS_${name} ${AM_DEP_${name}_FOUND} PARENT_SCOPE)
  if(AM_DEP_${name}_FOUND)
    # Not the target that pkg-config makes: it may add a run path, and the system has its own.
    target_include_directories(am_dep_${name} SYSTEM INTERFACE ${AM_DEP_${name}_INCLUDE_DIRS})
    target_link_libraries(am_dep_${name} INTERFACE ${AM_DEP_${name}_LINK_LIBRARIES})
  else()
    message(STATUS "${package} is missing: no ${purpose}")
  endif()
endfunction()

am_module_library(sodium libsodium libsodium-dev "tcp")
am_module_library(ucx "ucx>=1.12" libucx-dev "ucx")
am_module_library(pmix "pmix>=4" libpmix-dev "joining under mpirun and srun")

if(am_missing)
  message(FATAL_ERROR "libam needs these Debian packages, or their like elsewhere:${am_missing}\n"
                      "./quickstart installs them on Debian and Ubuntu.")
endif()
