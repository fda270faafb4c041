# The target `reference`: the calls and the pages for a browser, in <build>/reference.
find_program(AM_DOXYGEN doxygen)
mark_as_advanced(AM_DOXYGEN)
if(AM_DOXYGEN)
  set(am_reference ${PROJECT_BINARY_DIR}/reference)
  add_custom_target(reference
    COMMAND ${CMAKE_COMMAND} -E make_directory ${am_reference}
    COMMAND ${CMAKE_COMMAND} -E env AM_VERSION=${PROJECT_VERSION} AM_REFERENCE=${am_reference}
            ${AM_DOXYGEN} docs/Doxyfile
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "${am_reference}/index.html" VERBATIM)
else()
  add_custom_target(reference
    COMMAND ${CMAKE_COMMAND} -E echo
            "doxygen was not there when CMake configured: install it and configure again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
