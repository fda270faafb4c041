// The protocol between am-run and its agent on another host, through the input and output of the
// command that has started it (AM_RSH). Frames are those of boot/run/protocol.hpp.
//
// An agent on the first host of a group starts agents on the others in the same way (groups_of),
// and passes on what they send and what is for them; to each of them it is am-run.
//
// The agent sends `hello` first; am-run answers with `start`, and from then on events go up and
// commands go down. The agent ends when all its ranks have ended and their output has been sent,
// or, at once and with its ranks, when its input ends or am-run is silent for AM_PEER_TIMEOUT.
// am-run sends a ping three times in that time, unless it has passed on a signal to stop; the
// agent answers each.
//
// Of each stream of a rank's output at most output_window bytes are on their way, and of the input
// of rank 0 input_window: the receiver returns the room with `taken` as it passes the bytes on. So
// a slow reader slows the ranks, one rank never takes the room of another, and output delays an
// event by no more than that.
#pragma once

#include <am/types.h>
#include <libam/boot/run/protocol.hpp>
#include <libam/seam/blobs.hpp>
#include <libam/tools/am-run/job/hosts.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::run {

inline constexpr std::uint32_t host_protocol_version = 2;
inline constexpr std::size_t output_window = 16U << 10;
inline constexpr std::size_t input_window = 128U << 10;
// Of a frame to am-run: blobs are the most.
inline constexpr std::size_t most_up_bytes = boot::most_fence_bytes + 4096;

// Numbers are of 32 bits, but for the offset of an exit report.
enum class host_frame : std::uint32_t {
  // from the agent
  hello = 1000,   // magic, host_protocol_version, build
  started,        // rank, pid
  ended,          // rank, wait status
  explained,      // rank, is gone
  message,        // line, with the name of its host
  secret_wanted,  // epoch
  joined,         // rank, epoch, pid
  contributed,    // epoch, and of each rank that has arrived: rank, blobs
  watching,       // rank, epoch, exit report
  left,           // rank, epoch
  lost,           // rank
  aborted,        // rank, exit status, line
  failed,         // exit status, line
  host_lost,      // its ranks and those of the hosts below, how
  output,         // rank, stream, bytes; no bytes: the rank writes nothing more
  input_taken,    // bytes
  all_ended,      // no rank runs or will be started
  done,           // nothing follows
  pong,
  // to the agent
  start = 2000,  // start_order
  secret,        // epoch, secret
  fenced,        // epoch, frame
  retire,        // rank, epoch, exit report
  end_ranks,     // signal, spare rank or no_spare
  pass_signal,   // signal
  explain,       // rank
  taken,         // rank, stream, bytes
  close_output,  // stream: it has no reader
  input,         // bytes; none: the end
  ping,
};

inline constexpr std::uint32_t hello_magic = 0x68'72'6d'61;  // "amrh"
inline constexpr std::uint32_t no_spare = ~std::uint32_t{0};
enum class output_stream : std::uint32_t { output, errors };

// All that an agent needs to start its ranks, and the hosts below it.
struct start_order {
  std::vector<placed_host> hosts;        // the first is the agent's own
  std::string rsh;                       // as options::rsh
  std::string prefix;                    // as options::prefix
  std::string bind;                      // as options::bind
  std::uint32_t check = 0;               // 1: only what --check says
  std::string folder;                    // the working directory
  std::string search_path;               // PATH of am-run
  std::vector<std::string> command;      // the program and its arguments
  std::vector<std::string> environment;  // NAME=VALUE

  [[nodiscard]] host_group hosts_below() const noexcept { return host_group(hosts).subspan(1); }
};

// ---- bodies -------------------------------------------------------------------------------------

inline void pack_one(std::string& to, std::uint32_t value) { seam::add_number(to, value); }
inline void pack_one(std::string& to, std::uint64_t value) { seam::add_long(to, value); }
inline void pack_one(std::string& to, std::string_view value) {
  seam::add_number(to, static_cast<std::uint32_t>(value.size()));
  to.append(value);
}
void pack_one(std::string& to, const std::vector<std::string>& values);

void pack_one(std::string& to, const std::vector<placed_host>& values);
void pack_one(std::string& to, const rank_set& value);

bool unpack_one(seam::cursor& at, std::uint32_t& into);
bool unpack_one(seam::cursor& at, std::uint64_t& into);
bool unpack_one(seam::cursor& at, std::string& into);
bool unpack_one(seam::cursor& at, std::vector<std::string>& into);
bool unpack_one(seam::cursor& at, std::vector<placed_host>& into);
bool unpack_one(seam::cursor& at, rank_set& into);

// A frame whose last value is `tail`, but for that value's bytes: they are sent behind it, and one
// copy of them serves all hosts.
std::string make_host_frame_head(host_frame kind, std::uint32_t value, std::size_t tail);

template <class... Values>
std::string make_host_frame(host_frame kind, const Values&... values) {
  std::string body;
  (pack_one(body, values), ...);
  return boot::make_frame(static_cast<boot::frame_kind>(kind), body);
}

// False if `body` is not exactly these values.
template <class... Values>
bool unpack(seam::bytes_view body, Values&... into) {
  seam::cursor at(body);
  return (unpack_one(at, into) && ...) && at.empty();
}

std::string make_start(const start_order& order);
bool read_start(seam::bytes_view body, start_order& order);

}  // namespace am::detail::run
