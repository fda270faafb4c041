// One pair of ranks over the one connection that they make on first contact from either side: the
// port, and what the transport does with it. Its parts:
//
//   connection       its state, and its end
//   frame_sender     frames that wait for the socket
//   put_sender       bulk data that is sent
//   frame_receiver   frames and bulk data that are received
//
// Until the connection is established, what is sent is kept.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/tcp/channel/connection.hpp>
#include <transports/tcp/channel/frame_receiver.hpp>
#include <transports/tcp/channel/frame_sender.hpp>
#include <transports/tcp/channel/put_sender.hpp>

#include <string>
#include <string_view>

namespace am::detail::tcp {

inline constexpr seam::capabilities tcp_caps{seam::capability::accepts_unsolicited,
                                             seam::capability::network, seam::capability::streams,
                                             seam::capability::wakes};

class channel final : public seam::plain_port {
 public:
  using state = packed::state;

  // `injector`: null for none. Throws std::bad_alloc.
  channel(const seam::transport_context& context, am_rank to, peers& all_peers,
          channel_manager& manager, network_fault_injector* injector);

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override;
  seam::transfer_status put(seam::transfer& one) noexcept override {
    return put_sender_.begin(one);
  }
  void poll_once() noexcept override {}  // would be a system call: input waits for the next poll
  void refresh_credits() noexcept override;
  void fail_pending(seam::failure_sink& sink) noexcept override;
  [[nodiscard]] seam::request_ring request_ring_view() const noexcept override {
    return frames_out_.request_ring_view();
  }
  [[nodiscard]] std::string describe_peer() const override {
    return connection_.describe(frame_sender_.is_blocked());
  }
  [[nodiscard]] std::string describe_route() const override {
    return connection_.link().encrypts() ? "encrypted" : "";
  }

  // ---- for the transport ----
  [[nodiscard]] state current_state() const noexcept { return connection_.current_state(); }
  [[nodiscard]] int socket() const noexcept { return connection_.link().socket(); }
  // The connection is established, and the peer has proved itself.
  void open(tcp_link established) noexcept;
  void flush() noexcept;  // the open frame, if there is one
  void resume_sending() noexcept;
  [[nodiscard]] bool is_flushed() const noexcept {
    return !frames_out_.has_messages() && frame_sender_.is_flushed() && put_sender_.empty();
  }
  // What is sent waits for the socket.
  [[nodiscard]] bool is_blocked() const noexcept { return frame_sender_.is_blocked(); }
  // Reads and delivers at most `budget` messages; returns their number. Answers are sent before it
  // returns, or by the next flush.
  enum class answers { now, later };
  unsigned take_messages(unsigned budget, answers leave = answers::now) noexcept;
  // Reads up to the next message, and books the counters before it. False: none has come.
  bool find_message() noexcept;
  // A budget was used up before all messages that have come were delivered.
  [[nodiscard]] bool has_more() const noexcept { return frame_receiver_.has_more(); }
  [[nodiscard]] bool has_unpublished() const noexcept { return frames_out_.has_unpublished(); }
  // Publishes the count of silent requests in a frame, if there are any.
  void publish() noexcept;
  void send_goodbye() noexcept;
  void lose(std::string_view why, packed::loss_cause of) noexcept { connection_.lose(why, of); }
  // Closes the connection without a report: nothing is sent or received any more, and the state is
  // lost.
  void end() noexcept { connection_.end(); }

  packed::channel_flags flags;

 private:
  [[nodiscard]] bool is_short_of_room() noexcept;
  void send_if(bool now) noexcept;
  void send_frame() noexcept;
  void send_answers() noexcept;

  peers& peers_;
  packed::frame_writer frames_out_;
  connection connection_;
  frame_sender frame_sender_;
  put_sender put_sender_;
  frame_receiver frame_receiver_;
};

}  // namespace am::detail::tcp
