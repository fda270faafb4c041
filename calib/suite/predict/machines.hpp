// The two machines of a prediction, by their profiles.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <optional>

namespace calib::suite {

struct machines {
  profile here;
  std::optional<profile> other;  // nothing: the same one, over another transport

  [[nodiscard]] const profile& there() const { return other ? *other : here; }
};

}  // namespace calib::suite
