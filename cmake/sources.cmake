# Every .cpp under the given folders; a new file joins with the next build.
function(am_sources out)
  set(patterns "")
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Files that run once a command, to read its options or write its JSON: the libraries behind them are
# most of what there is to compile, and optimizing them takes more than half of that time.
function(am_seldom_runs)
  set(level -O1)
  if(AM_SANITIZE)
    set(level -O0)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS ${level})
endfunction()
