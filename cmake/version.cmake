# The commit, which programs print as "0.1.0 (git abc1234)". Every build checks the header, and
# writes it only when the commit has changed.
find_package(Git QUIET)

# Gives `target` a header <file> with the constant <namespace>::version_text.
function(am_version_header target namespace file)
  set(root ${PROJECT_BINARY_DIR}/generated/${target})
  add_custom_target(${target}_version
    COMMAND ${CMAKE_COMMAND} -D GIT=${GIT_EXECUTABLE} -D SOURCE=${PROJECT_SOURCE_DIR}
            -D VERSION=${PROJECT_VERSION} -D NAMESPACE=${namespace} -D OUTPUT=${root}/${file}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
    BYPRODUCTS ${root}/${file}
    COMMENT "" VERBATIM)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
  add_dependencies(${target} ${target}_version)
endfunction()
