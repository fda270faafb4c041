# ctest reads this before it runs tests. What a test finds depends neither on the AM_* of the
# environment nor on the profile that the machine has; those of AM_PROFILE set it.
execute_process(COMMAND env OUTPUT_VARIABLE all)
string(REGEX MATCHALL "\nAM_[A-Za-z0-9_]*" names "\n${all}")
foreach(line IN LISTS names)
  string(STRIP ${line} name)
  unset(ENV{${name}})
endforeach()
set(ENV{AM_PROFILE} off)
