// What goes out to one peer: frames, and what is no frame, as eager active messages of UCX's. It
// knows what UCX still reads, and whether a lone message may go without its frame.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <transports/ucx/endpoint.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/keeper.hpp>
#include <transports/ucx/short_ids.hpp>
#include <transports/ucx/standing.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace am::detail::ucx {

class outgoing {
 public:
  // Throws std::bad_alloc.
  outgoing(engine& ucx, endpoint& to, standing& pair, packed::frame_writer& frames, peers& all,
           channel_keeper& keeper);
  outgoing(const outgoing&) = delete;
  outgoing& operator=(const outgoing&) = delete;

  // Says something that is no frame.
  void tell(kind what, std::span<const std::byte> bytes);

  // ---- the open frame ----

  // It has got a message: it leaves now, or waits for the next poll.
  void has_message(bool leaves_now) noexcept;
  void flush() noexcept;
  // Silent requests are told of in a frame, if there are any.
  void publish() noexcept;
  // What has come is handled: answers leave.
  void answer() noexcept;
  // There is one, and the pair is open.
  void send_frame() noexcept;
  void say_goodbye() noexcept;

  // The peer offers an id for lone messages; false: that makes no sense.
  bool learn_id(std::span<const std::byte> offer);

  // What comes meanwhile is kept for the next poll.
  void let_ucx_go_on() noexcept { keeper_.progress_quietly(); }

  // ---- what UCX still reads ----

  [[nodiscard]] bool is_empty() const noexcept { return going_.empty(); }
  // So much that no payload is taken now.
  bool is_short_of_room() noexcept;

 private:
  struct parcel {
    outgoing* of = nullptr;
    wire::packer::room frame;
    std::vector<std::byte> note;  // or what is no frame
    std::size_t bytes = 0;
  };

  bool goes_without_frame() noexcept;
  // True: UCX will read the bytes later, and then has_gone(spare_) is called.
  bool send_by_ucx(unsigned id, std::span<const std::byte> bytes) noexcept;
  parcel& post_spare(std::size_t bytes);
  void make_spare();
  static void has_gone(void* request, ucs_status_t status, void* posted) noexcept;

  engine& ucx_;
  endpoint& to_;
  standing& pair_;
  packed::frame_writer& frames_;
  peers& peers_;
  channel_keeper& keeper_;
  offered_short_ids ids_;
  std::uint64_t whole_at_ = 0;  // requests answered: then all that could be passed has come
  bool short_of_room_ = false;
  std::size_t going_bytes_ = 0;  // of frames
  std::unique_ptr<parcel> spare_;
  ucp_request_param_t how_{};  // as it is sent, with the spare parcel
  std::map<const parcel*, std::unique_ptr<parcel>> going_;
};

}  // namespace am::detail::ucx
