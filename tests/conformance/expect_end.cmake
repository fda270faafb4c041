# Runs COMMAND (a list) and expects exit status STATUS and, in its error output, WORDS (a regular
# expression); on standard output nothing.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE said)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "exit status ${status}, not ${STATUS}; it said:\n${said}")
endif()
if(NOT said MATCHES "${WORDS}")
  message(FATAL_ERROR "nothing like '${WORDS}' in:\n${said}")
endif()
if(NOT out STREQUAL "")
  message(FATAL_ERROR "on standard output: ${out}")
endif()
