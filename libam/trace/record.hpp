// The file of a trace, one for each rank: a header, two windows, and the records that have left
// the windows. A record has 32 bytes; they stand in the order in which their events ended. The
// program writes them into the windows in turn, through a mapping, so that what a killed process
// has recorded is in the file. A full window is written behind the records that have left before;
// they go on in the other one, which is zeros by then: a record of kind `none` there ends the
// trace.
//
// Numbers have the byte order of the machine.
#pragma once

#include <bit>
#include <cstdint>

namespace am::detail::trace {

enum class kind : std::uint8_t {
  none,        // nothing is recorded here
  name,        // defines one; its text is in the records behind it
  request,     // a request has left
  notice,      // a request behind bytes that were put has left, or will when they are there
  answer,      // the answer to a request has left
  on_request,  // the handler of a request has run
  on_notice,   // the handler of a notice has run
  on_answer,   // the handler of an answer has run
  on_end,  // the handler of a call of this rank on bulk data, or of a message to itself, has run
  get,     // bytes have been moved here, or will be
  wait,    // a call has waited, from its first poll in vain to its end
  sleep,   // the rank has slept, in a wait
  poll,    // a poll has delivered something
  span,    // of the program
  pause,   // the trace itself has taken time
  collective,  // this rank's part of one, from its call to its end
  carried,     // the program's handler has run for a message of libam's own, in the handler of that
  clock,       // the counter has been compared with that of another host (comparison)
  computed,    // how long the program has computed until now, as AM_DILATE measures it
};
inline constexpr unsigned kinds = 19;

// What a name is of. `handler` is its number.
enum class name_of : std::uint32_t { handler, call, span, collective };

struct record {
  std::uint64_t begin;     // ticks
  std::uint64_t what;      // the kind in the upper 8 bits, the duration in ticks below
  std::uint32_t peer;      // the other rank; of a name: name_of
  std::uint32_t handler;   // its number, or that of a name
  std::uint32_t bytes;     // of data, or of the text of a name; of a poll: messages
  std::uint32_t sequence;  // of a message: how many of its kind have gone before it

  static constexpr unsigned kind_shift = 56;
  static constexpr std::uint64_t longest = (std::uint64_t{1} << kind_shift) - 1;

  [[nodiscard]] kind type() const noexcept { return static_cast<kind>(what >> kind_shift); }
  [[nodiscard]] std::uint64_t duration() const noexcept { return what & longest; }
  [[nodiscard]] std::uint64_t end() const noexcept { return begin + duration(); }
};
static_assert(sizeof(record) == 32);

// A value of 64 bits. In a record of kind `clock`: the counter of rank `peer` showed it somewhere
// between the record's begin and its end; `handler` is the number of the measurement, of which it
// is one ping. In one of kind `computed`: nanoseconds.
constexpr std::uint64_t wide_value(const record& one) noexcept {
  return std::uint64_t{one.sequence} << 32U | one.bytes;
}

inline constexpr std::uint64_t longest_name = 1024;  // bytes of its text, which has no zeros

// How many records behind that of a name have its text.
constexpr std::uint64_t records_of_text(std::uint64_t bytes) noexcept {
  return (bytes + sizeof(record) - 1) / sizeof(record);
}

// Readings of both clocks at one moment.
struct moment {
  std::uint64_t ticks;
  std::uint64_t ns;  // CLOCK_MONOTONIC
};

inline constexpr std::uint64_t magic = 0x3345434152544d41;  // "AMTRACE3", least byte first
inline constexpr std::uint64_t header_bytes = 4096;
inline constexpr std::uint64_t window_bytes = 64 * 1024;  // stays in the second level of caches
inline constexpr std::uint64_t windows_end = header_bytes + 2 * window_bytes;
// The window that is written while so many bytes have left both.
constexpr std::uint64_t window_at(std::uint64_t left) noexcept {
  return header_bytes + left / window_bytes % 2 * window_bytes;
}

struct header {
  std::uint64_t magic;
  std::uint64_t job;   // the same in all files of a job
  std::uint64_t host;  // the same in all files of a host
  std::uint32_t rank;
  std::uint32_t ranks;
  std::uint32_t pid;
  std::uint32_t has_counter;  // ticks are of the processor's counter, otherwise they are ns
  moment first;
  moment last[2];            // of later times, written in turn
  std::uint64_t which_last;  // the one that is whole
  std::uint64_t wall_ns;     // CLOCK_REALTIME at `first`
  std::uint64_t lost;        // events that found no room
  std::uint64_t ended;       // 1: the rank has left
  std::uint64_t retries;     // calls that never wait (try_…) and have found no credit or no room
  std::uint64_t wait_begin;  // ticks: the innermost wait that has not ended; 0: none
  std::uint64_t wait_call;   // the number of its name
  double dilation;           // AM_DILATE; 0: not set
  std::uint64_t left;        // bytes of records behind the windows; those in the window follow
  char host_name[64];
  char program[256];
};
static_assert(sizeof(header) <= header_bytes);
static_assert(std::endian::native == std::endian::little);

}  // namespace am::detail::trace
