// Runs a layer program to its end and listens to it. Whatever it has started is gone afterwards,
// so that nothing of one layer disturbs the next.
#pragma once

#include <calib/driver/launch.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace calib {

// Called once, before the first run: from now on SIGINT and SIGTERM only make stop_asked() true,
// and orphans of our children become ours.
void prepare_for_children();
[[nodiscard]] bool stop_asked() noexcept;

using on_begin = std::function<void(const std::string& probe, const std::string& variant)>;

// Starts `how.command` with `arguments` added, without AM_* in its environment, unless it joins our
// own job.
launch run(const way& how, const std::vector<std::string>& arguments, std::chrono::seconds deadline,
           const on_begin& begun);

}  // namespace calib
