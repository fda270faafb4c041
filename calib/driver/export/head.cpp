#include <calib/driver/export/exports.hpp>
#include <calib/format.hpp>

namespace calib {

std::string head_of(const profile& from) {
  const std::string conditions = from.conditions_text();
  return format("# am-profile/1, {}{}", headline(from.machine),
                conditions.empty() ? "" : format("# {}\n", conditions));
}

}  // namespace calib
