#include <calib/suite/launched.hpp>

#include <calib/format.hpp>

#include <algorithm>

namespace calib::suite {

void add_failure(const entry& of, measurement& into) {
  const measured_layer key = of.key();
  const auto fails = [&](const launch& l) {
    return l.layer == key && !l.fault.empty() && l.fault != "stopped";
  };
  if (const auto found = std::ranges::find_if(into.launches, fails); found != into.launches.end())
    into.failed.push_back(format("{}: {}", name_of(key), found->fault));
}

}  // namespace calib::suite
