#include <calib/driver/suite/entry.hpp>

#include <calib/format.hpp>

namespace calib::suite {

measured_layer entry::key() const {
  return {layer + ' ' + program + ' ' + variant + " -n " + std::to_string(ranks) +
              (dial.empty() ? "" : " AM_DIAL=" + dial),
          transport};
}

std::string line_name(const entry& of) {
  return format("{} {} {}", of.program, of.variant, of.transport);
}

}  // namespace calib::suite
