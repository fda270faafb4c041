# Run by CPack when each package's files are in their folder, before they are packed: what the
# system requires of files beside their place.
set(stage ${CPACK_TEMPORARY_DIRECTORY})
file(GLOB_RECURSE programs ${stage}/*/usr/bin/* ${stage}/*/usr/lib*/am/*)
foreach(program IN LISTS programs)
  file(RPATH_REMOVE FILE ${program})  # the library is in a system folder
endforeach()

file(GLOB_RECURSE archives ${stage}/*/libam.a)
foreach(archive IN LISTS archives)
  execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archive}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Debian's changelog and overrides are for Debian alone; a licence has a folder of its own elsewhere.
if(CPACK_GENERATOR STREQUAL RPM)
  file(GLOB others ${stage}/*/usr/share/doc/*/changelog.Debian ${stage}/*/usr/share/lintian)
  file(REMOVE_RECURSE ${others})
  file(GLOB docs ${stage}/*/usr/share/doc/*)
  foreach(doc IN LISTS docs)
    string(REGEX REPLACE "-dev$" "-devel" renamed ${doc})
    if(NOT renamed STREQUAL doc)
      file(RENAME ${doc} ${renamed})
    endif()
    string(REPLACE /share/doc/ /share/licenses/ licenses ${renamed})
    file(MAKE_DIRECTORY ${licenses})
    file(RENAME ${renamed}/copyright ${licenses}/LICENSE)
  endforeach()
endif()

file(GLOB_RECURSE texts ${stage}/*/usr/share/man/* ${stage}/*/usr/share/doc/*/changelog*)
if(texts)
  execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
endif()
