// Sends frames and control messages to one peer, as eager active messages of UCX's. It knows what
// UCX still reads, and whether a lone message may go without its frame.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <transports/ucx/channel_manager.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/pair_state.hpp>
#include <transports/ucx/short_ids.hpp>
#include <transports/ucx/ucx_endpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace am::detail::ucx {

class frame_sender {
 public:
  // Throws std::bad_alloc.
  frame_sender(engine& ucx, ucx_endpoint& to, pair_state& pair, packed::frame_writer& frames,
               peers& all_peers, channel_manager& manager);
  frame_sender(const frame_sender&) = delete;
  frame_sender& operator=(const frame_sender&) = delete;

  // Sends a control message.
  void send_control(kind what, std::span<const std::byte> bytes);

  // ---- the open frame ----

  // A message was added: the frame is sent now, or waits for the next poll.
  void on_message_added(bool send_now) noexcept;
  void flush() noexcept;
  // Publishes the count of silent requests in a frame, if there are any.
  void publish() noexcept;
  // All that has come is handled: sends the answers.
  void send_answers() noexcept;
  // Requires an open frame with messages, and an open pair.
  void send_frame() noexcept;
  void send_goodbye() noexcept;

  // The peer offers an id for lone messages; false: the offer is invalid.
  bool learn_id(std::span<const std::byte> offer);

  // Messages that come meanwhile are kept for the next poll.
  void progress_ucx() noexcept { manager_.progress_without_delivery(); }

  // ---- what UCX still reads ----

  [[nodiscard]] bool is_empty() const noexcept { return in_flight_.empty(); }
  // UCX still reads so much that no more payload is accepted.
  bool is_short_of_room() noexcept;

 private:
  struct send_buffer {
    frame_sender* owner = nullptr;
    wire::packer::buffer frame;
    std::vector<std::byte> control;  // or a control message
    std::size_t bytes = 0;
  };

  bool try_send_without_frame() noexcept;
  // True: UCX will read the bytes later, and then on_send_complete(spare_) is called.
  bool send_am(unsigned id, std::span<const std::byte> bytes) noexcept;
  send_buffer& post_spare(std::size_t bytes);
  void make_spare();
  static void on_send_complete(void* request, ucs_status_t status, void* posted) noexcept;

  engine& ucx_;
  ucx_endpoint& ep_;
  pair_state& pair_;
  packed::frame_writer& frames_;
  peers& peers_;
  channel_manager& manager_;
  remote_short_ids ids_;
  // When as many requests are answered, no frame is in flight that a lone message could overtake.
  std::uint64_t frameless_from_ = 0;
  bool short_of_room_ = false;
  std::size_t in_flight_bytes_ = 0;  // of frames
  std::unique_ptr<send_buffer> spare_;
  ucp_request_param_t send_params_{};  // for spare_
  std::map<const send_buffer*, std::unique_ptr<send_buffer>> in_flight_;
};

}  // namespace am::detail::ucx
