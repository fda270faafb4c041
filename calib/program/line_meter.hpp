// What the host of a virtual machine does with the CPUs of the two processes of a pair at one
// moment, whatever layer is measured. The time of a bare cache line tells where it has put them: a
// number goes there and back on a page that both have. The time of a fixed computation tells
// whether something else runs on the same core: each process times its own, both at once.
//
// A signal calls the other process to the page, in the middle of what it does, so no layer has to
// know of it. The page is the file that CALIB_LINE names; without one there is no such time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace calib {

// Of the two CPUs at one moment, in nanoseconds.
struct cpu_state {
  double line = 0;                    // a cache line, there and back; 0: unknown
  std::array<double, 2> paces{0, 0};  // the computation, at rank 0 and at rank 1
};

struct line_page {
  struct alignas(128) line {
    std::atomic<std::uint64_t> number{0};
  };
  // The distance of a line from the two CPUs depends on its address.
  static constexpr std::size_t line_count = 8;

  alignas(128) std::atomic<std::uint64_t> called{0};   // the number of the last call
  alignas(128) std::atomic<std::uint64_t> present{0};  // the call that the other process follows
  std::atomic<std::uint64_t> given_up{0};              // the last call that it is not waited for
  std::atomic<std::int32_t> process{0};                // the other process, and its thread
  std::atomic<std::int32_t> thread{0};
  std::array<line, line_count> lines;
  alignas(128) std::atomic<std::uint64_t> paced{0};  // the last call of which `pace` is
  double pace = 0;                                   // ns of the computation, at rank 1
};

namespace line_meter {

constexpr unsigned trips_per_line = 8;
constexpr std::uint64_t pace_steps = 4000;  // a microsecond
// The other process waits for messages meanwhile and would fall asleep: libam's does so after 50 us
// (docs/waiting.md), and a far line has taken 390 ns here.
// The computation takes up to 3 us on a core that is shared.
static_assert(line_page::line_count * trips_per_line * 390 + 3'000 < 50'000 * 2 / 3);

// Rank 0 measures, rank 1 comes when it is called. Does nothing without a page. Returns why there
// is none although one is named; empty: nothing is wrong.
std::string join(int rank);

// Of the lines the median. Nothing: there is no page, or the other process did not come.
std::optional<cpu_state> take();

// The two sides of one call on a page. False: the other side is gone.
bool serve(line_page& page, std::uint64_t call);
std::optional<cpu_state> measure(line_page& page, std::uint64_t call);

}  // namespace line_meter
}  // namespace calib
