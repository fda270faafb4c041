// The protocol between a rank and am-run.
//
// Every rank inherits a *join socket*, a SOCK_SEQPACKET socket whose number is in AM_JOB_FD. A
// process that joins makes two socket pairs and sends `hello` through the join socket with the far
// ends of both:
//   connection   a stream of frames, for this process and this join alone; so two processes of one
//                rank can never read each other's answers, and its end without `leave` is a death
//   lifeline     nothing is ever sent; when am-run ends the kernel kills the process
//
//   rank -> am-run                            am-run -> rank
//   hello{version} (join socket)              welcome{version, rank, ranks, ranks here, cpus,
//                                             bound_to, host id, secret} + memfd + a wake-up
//                                             socket, or refused{line}
//   fence{blobs}                              fenced{blobs of rank 0, of rank 1, …} after the last
//   notify{attention, bits, exit_report, wakeup}
//   leave
//   abort{status, line}
//
// `notify` names the places in the shared memory by which this rank is notified of deaths
// (seam::exit_notification).
//
// A frame is {bytes, kind} and a body of that many bytes; numbers and blobs as in seam/blobs.hpp.
// The host id and the members of `notify` are two numbers each, the low half first.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/seam/blobs.hpp>
#include <libam/seam/boot.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::boot {

inline constexpr std::uint32_t protocol_version = 6;
inline constexpr char join_socket_variable[] = "AM_JOB_FD";

// Limits, so that neither end has to accept any amount of data.
using seam::most_fence_bytes;
inline constexpr std::size_t most_fenced_bytes = 1U << 30;  // of all ranks together
inline constexpr std::size_t most_line_bytes = 1000;
inline constexpr am_rank most_ranks = 1U << 16;

inline constexpr std::uint32_t not_bound = ~std::uint32_t{0};

enum class frame_kind : std::uint32_t { welcome = 1, refused, fence, fenced, leave, abort, notify };

// The encoded frame.
std::string make_frame(frame_kind kind, std::string_view body);

struct frame {
  frame_kind kind;
  seam::bytes_view body;  // valid until the reader is used again
};

// Assembles frames from a stream that comes in pieces of any size.
class frame_reader {
 public:
  explicit frame_reader(std::size_t most_body) noexcept : most_body_(most_body) {}
  void feed(seam::bytes_view piece);
  // The next complete frame, or nothing yet. After broken() there is none any more.
  std::optional<frame> next();
  // The stream has announced a frame that is too large.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

 private:
  std::size_t most_body_;
  std::vector<std::byte> buffer_;
  std::size_t taken_ = 0;
  bool broken_ = false;
};

}  // namespace am::detail::boot
