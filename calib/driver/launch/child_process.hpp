// Runs a layer program to its end and reads its report. Afterwards every process that it started
// has ended, so that nothing of one layer disturbs the next.
#pragma once

#include <calib/driver/launch/launch.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace calib {

// To be called before the first run; again it does nothing. Afterwards SIGINT and SIGTERM only make
// stop_requested() true, and orphans of our children become our children.
void prepare_for_children();
[[nodiscard]] bool stop_requested() noexcept;

using on_begin = std::function<void(const std::string& probe, const std::string& variant)>;

// Starts `spec.command` with `arguments` added. Its environment has our AM_* variables only if it
// joins our own job. `on_probe` is called when a probe begins.
launch run_program(const launch_spec& spec, const std::vector<std::string>& arguments,
                   std::chrono::seconds deadline, const on_begin& on_probe);

}  // namespace calib
