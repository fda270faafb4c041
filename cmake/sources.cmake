# Every .cpp under the given folders; the next build finds a new file.
function(am_sources out)
  set(patterns "")
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# The optimization of code whose speed does not matter: most of a build's time goes into it.
set(am_low_optimization -O1)
if(AM_SANITIZE)
  set(am_low_optimization -O0)
endif()

# What is measured is compiled as its users would, each file by itself.
function(am_compile_as_users target)
  if(NOT AM_SANITIZE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

# For what runs once per command, to read options or write JSON.
function(am_optimize_less target)
  target_compile_options(${target} PRIVATE ${am_low_optimization})
endfunction()

# The presets compile up to twelve files of a target as one, which takes less than half of the time:
# most of it goes into headers. These files stay objects by themselves.
function(am_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
