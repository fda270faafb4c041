# Run by CPack when each package's files are in their folder, before they are packed: what Debian
# requires of files beside their place.
file(GLOB_RECURSE programs ${CPACK_TEMPORARY_DIRECTORY}/*/usr/bin/*
     ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/am/*)
foreach(program IN LISTS programs)
  file(RPATH_REMOVE FILE ${program})  # the library is in a system folder
endforeach()

file(GLOB_RECURSE archives ${CPACK_TEMPORARY_DIRECTORY}/*/libam.a)
foreach(archive IN LISTS archives)
  execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archive}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(GLOB_RECURSE texts ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*
     ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/changelog*)
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
