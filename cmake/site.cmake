# The target `site`: all pages and the reference as static files, in <build>/site. What ./quickstart
# measured, and the pages and JSON in <build>/site-input, become a part of it.
find_program(AM_SITE_PYTHON python3)
mark_as_advanced(AM_SITE_PYTHON)
set(am_site ${PROJECT_BINARY_DIR}/site)
set(am_site_reference "")
if(AM_DOXYGEN)
  set(am_site_reference --reference ${am_reference})
endif()
set(am_site_measured "")
if(TARGET am-calibrate)
  set(am_site_measured --report $<TARGET_FILE:am-calibrate> --measured
                       ${PROJECT_BINARY_DIR}/quickstart.json)
endif()
if(AM_SITE_PYTHON)
  add_custom_target(site
    COMMAND ${AM_SITE_PYTHON} -B docs/site/make_site.py ${PROJECT_SOURCE_DIR} ${am_site}
            ${am_site_reference} --machine ${PROJECT_BINARY_DIR}/site-input
            ${am_site_measured}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "" VERBATIM)
  if(AM_DOXYGEN)
    add_dependencies(site reference)
  endif()
endif()
