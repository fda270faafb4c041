// The output of a layer program: lines of text on standard output, each in one write, so that they
// pass through any launcher.
//
//   cpu RANK CPU                       the process is pinned to this CPU
//   note KEY TEXT                      a version, a setting
//   begin PROBE VARIANT                the measurement begins
//   values PROBE VARIANT NS NS NS …    every sample, in the order taken
//   lines PROBE VARIANT NS NS NS …     the time of a cache line (line_meter.hpp) before each sample
//                                      and after the last, of the values before; 0: unknown
//   paces PROBE VARIANT NS NS NS …     at these times, of rank 0 and of rank 1 by turns: that of a
//                                      fixed computation
//   fault TEXT                         the reason why there is no measurement
//   done                               the output is complete
//
// Variants of a probe differ in a parameter (a window, a ring): the driver takes the best.
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
void lines(std::string_view probe, std::string_view variant, std::span<const double> times);
void paces(std::string_view probe, std::string_view variant, std::span<const double> times);
// Ends the process with status 1.
[[noreturn]] void fault(std::string_view text);
// With what errno says.
[[noreturn]] void system_fault(const char* what);
void done();

}  // namespace calib::report
