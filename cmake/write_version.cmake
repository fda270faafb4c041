# Run in every build (version.cmake): writes OUTPUT when the commit has changed.
set(commit unknown)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=7 HEAD
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[// Made by cmake/write_version.cmake.
#pragma once

namespace @NAMESPACE@ {
inline constexpr char version_text[] = "@VERSION@ (git @commit@)";
}
]] @ONLY)
