// The time of a bare cache line between the two processes of a pair: a number goes there and back
// on a page that both have, whatever layer is measured. On a virtual machine it tells where the
// host has put the two CPUs at that moment.
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
};

namespace line_meter {

constexpr unsigned trips_per_line = 8;
// The other process waits for messages meanwhile and would fall asleep: libam's does so after 50 us
// (docs/waiting.md), and a far line has taken 390 ns here.
static_assert(line_page::line_count * trips_per_line * 390 < 50'000 / 2);

// Rank 0 measures, rank 1 comes when it is called. Does nothing without a page. Returns why there
// is none although one is named; empty: nothing is wrong.
std::string join(int rank);

// ns, there and back: the median over the lines. Nothing: there is no page, or the other process
// did not come.
std::optional<double> round_trip_ns();

// The two sides of one call on a page. False: the other side is gone.
bool serve(line_page& page, std::uint64_t call);
std::optional<double> measure(line_page& page, std::uint64_t call);

}  // namespace line_meter
}  // namespace calib
