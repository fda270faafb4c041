# Of all AM_* environment.cmake leaves AM_PROFILE=off alone. cmake -E env sets one that is empty, which
# set() cannot.
if(NOT DEFINED ENV{AM_TRACE} OR NOT "$ENV{AM_CREDITS}" EQUAL 3)
  message(FATAL_ERROR "start it with AM_CREDITS=3 and an empty AM_TRACE")
endif()
set(ENV{AM_DIAL} "L=1us;AM_PROFILE=on")
include(${CMAKE_CURRENT_LIST_DIR}/environment.cmake)
execute_process(COMMAND env OUTPUT_VARIABLE all)
string(REGEX MATCHALL "\nAM_[^\n]*" left "\n${all}")
if(NOT "${left}" STREQUAL "\nAM_PROFILE=off")
  message(FATAL_ERROR "of AM_* these are left:${left}")
endif()
