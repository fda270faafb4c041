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

# For files that run once per command, to read options or write JSON.
function(am_optimize_less)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS ${am_low_optimization}
                                                 SKIP_PRECOMPILE_HEADERS ON) # of another level
endfunction()
