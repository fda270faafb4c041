// What am-dial tells the processes that it dials.
#pragma once

namespace am::detail::mpidial {

// The dials, as am-dial has got them. Not one of libam's settings: a program over libam and MPI
// reads AM_DIAL for what libam sends.
inline constexpr const char* dials_variable = "LIBAM_MPI_DIAL";

}  // namespace am::detail::mpidial
