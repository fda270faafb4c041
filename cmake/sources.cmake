# Every .cpp under the given folders; a new file joins with the next build.
function(am_sources out)
  set(patterns "")
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# How far code is optimized whose speed nobody measures: compiling it is most of what a build takes.
set(am_unmeasured_level -O1)
if(AM_SANITIZE)
  set(am_unmeasured_level -O0)
endif()

# Files that run once a command, to read its options or write its JSON.
function(am_seldom_runs)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS ${am_unmeasured_level}
                                                 SKIP_PRECOMPILE_HEADERS ON) # of another level
endfunction()
