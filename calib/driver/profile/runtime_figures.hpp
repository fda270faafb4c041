// The part of a profile's file that libam reads when it joins (libam/profile/figures.hpp): the few
// figures that it uses, in front of all others, in the form that they have there.
#pragma once

#include <calib/driver/profile/profile_record.hpp>

namespace calib {

struct runtime_figures {
  profile_record& of;
};
json written(const runtime_figures& figures);
// Whether libam's reader would use it, which is not linked here: it needs a complete measurement,
// and of four words over shm the sender's call, the gap and the round trip. No other value may be
// one that it refuses.
void read(const json_field& from, const runtime_figures& into);
json form_of(const runtime_figures&);

}  // namespace calib
