// How a layer program tells what it measured: lines on standard output, each written at once. They
// pass through any launcher, and a person can read them.
//
//   cpu RANK CPU                       where a process is pinned
//   note KEY TEXT                      a version, a setting
//   begin PROBE VARIANT                now measuring
//   values PROBE VARIANT NS NS NS …    every sample, in the order taken
//   fault TEXT                         it cannot be measured
//   done                               all has been said
//
// A variant is one way of doing the same (a window, a ring): the driver takes the best.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace calib::report {

void line(const std::string& text);
void cpu(int rank, int number);
void note(std::string_view key, std::string_view text);
void begin(std::string_view probe, std::string_view variant);
void values(std::string_view probe, std::string_view variant, std::span<const double> samples);
// Says why, and ends the process with status 1.
[[noreturn]] void fault(std::string_view text);
void done();

}  // namespace calib::report
