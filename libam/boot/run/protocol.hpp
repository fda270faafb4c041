// What a rank and am-run say to each other.
//
// Every rank inherits a *door*, a SOCK_SEQPACKET socket whose number is in AM_JOB_FD. A process
// that joins makes two socket pairs and sends `hello` through the door with the far ends of both:
//   conversation   a stream of frames, for this process and this join alone; so two processes of
//                  one rank can never read each other's answers, and its end without `leave` is a
//                  death
//   lifeline       nothing is ever sent; when am-run is gone the kernel ends the process
//
//   rank -> am-run                    am-run -> rank
//   hello{version} (door)             welcome{version, rank, ranks, cpus, bound_to, secret}
//                                       + memfd + the socket of a bell, or refused{line}
//   fence{blobs}                      fenced{blobs of rank 0, of rank 1, …} when all have come
//   watch{attention, bits, obituary, bell}    (each as two numbers, the low half first)
//   leave
//   abort{status, line}
//
// `watch` says where in the shared memory this rank hears of deaths (seam::deathwatch).
//
// A frame is {bytes, kind} and a body of that many bytes; numbers and blobs as in seam/blobs.hpp.
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

inline constexpr std::uint32_t protocol_version = 4;
inline constexpr char door_variable[] = "AM_JOB_FD";

// Limits, so that neither end can be made to take any amount.
using seam::most_fence_bytes;
using seam::most_key_bytes;
inline constexpr std::size_t most_fenced_bytes = 1U << 30;  // what all add together
inline constexpr std::size_t most_line_bytes = 1000;
inline constexpr am_rank most_ranks = 1U << 16;

inline constexpr std::uint32_t not_bound = ~std::uint32_t{0};

enum class frame_kind : std::uint32_t { welcome = 1, refused, fence, fenced, leave, abort, watch };

// The whole frame.
std::string make_frame(frame_kind kind, std::string_view body);

struct frame {
  frame_kind kind;
  seam::bytes_view body;  // valid until the reader is used again
};

// Puts frames together from a stream in pieces of any size.
class frame_reader {
 public:
  explicit frame_reader(std::size_t most_body) noexcept : most_body_(most_body) {}
  void feed(seam::bytes_view piece);
  // The next whole frame, or nothing yet. Once broken() it stays so.
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
