# am_find_mpi(<name> <compiler> <compile> <link>): of an MPI whose wrapper says with the options
# `compile` and `link` what it adds. Sets AM_MPI_<name> to whether it is there, and
# AM_MPI_<name>_COMPILE and AM_MPI_<name>_LINK.
function(am_find_mpi name compiler compile link)
  find_program(AM_MPI_${name}_COMPILER ${compiler})
  mark_as_advanced(AM_MPI_${name}_COMPILER)
  set(AM_MPI_${name} OFF PARENT_SCOPE)
  if(NOT AM_MPI_${name}_COMPILER)
    return()
  endif()
  execute_process(COMMAND ${AM_MPI_${name}_COMPILER} ${compile} OUTPUT_VARIABLE compile_flags)
  execute_process(COMMAND ${AM_MPI_${name}_COMPILER} ${link} OUTPUT_VARIABLE link_flags)
  # Of what the wrapper says only these are about MPI.
  separate_arguments(compile_flags UNIX_COMMAND "${compile_flags}")
  separate_arguments(link_flags UNIX_COMMAND "${link_flags}")
  list(FILTER compile_flags INCLUDE REGEX "^-[ID]")
  list(FILTER link_flags INCLUDE REGEX "^-[Ll]")
  list(TRANSFORM compile_flags REPLACE "^-I" "-isystem")
  set(AM_MPI_${name} ON PARENT_SCOPE)
  set(AM_MPI_${name}_COMPILE ${compile_flags} -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX PARENT_SCOPE)
  set(AM_MPI_${name}_LINK ${link_flags} PARENT_SCOPE)
endfunction()

# In a sanitized build they count as missing: MPI leaks, so nothing of it is tried there.
macro(am_find_mpis)
  if(NOT AM_SANITIZE)
    am_find_mpi(openmpi mpicc.openmpi --showme:compile --showme:link)
    am_find_mpi(mpich mpicc.mpich -compile_info -link_info)
  endif()
endmacro()
