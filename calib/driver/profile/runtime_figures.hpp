// The part of a profile's file that libam reads when it joins (libam/profile/figures.hpp): the few
// figures that it uses, in front of all others, in the form that they have there.
#pragma once

#include <calib/driver/profile/profile_record.hpp>

namespace calib {

struct runtime_figures {
  profile_record& of;
};
json written(const runtime_figures& figures);
inline void read(const json_field&, const runtime_figures& into) { into.of.of.has_runtime = true; }
json form_of(const runtime_figures&);

}  // namespace calib
