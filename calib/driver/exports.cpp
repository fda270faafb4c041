#include <calib/driver/exports.hpp>
#include <calib/driver/profile_reader.hpp>

namespace calib {

exit_status export_profile(const std::string& format, const std::optional<std::string>& file) {
  const std::optional<profile> kept = read_profile(file);
  if (!kept) return bad_usage;
  const auto text_of = format == "csv"         ? csv_of
                       : format == "loggopsim" ? loggopsim_of
                                               : netgauge_of;
  return write_text(text_of(*kept), "-") ? good : failed;
}

}  // namespace calib
