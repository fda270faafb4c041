#include <calib/driver/profile_reader.hpp>
#include <calib/driver/profile_table.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/show.hpp>
#include <calib/driver/state.hpp>
#include <calib/format.hpp>

#include <unistd.h>

namespace calib {

exit_status show(const std::optional<std::string>& file) {
  const std::optional<profile> kept = read_profile(file);
  if (!kept) return bad_usage;
  const std::string here = fingerprint_of(this_machine());
  if (kept->fingerprint != here)
    say(format("this profile is of another machine or libam: {}; here: {}", kept->fingerprint,
               here));
  return write_text(table_of(*kept, may_colour(STDOUT_FILENO)), "-") ? good : failed;
}

}  // namespace calib
