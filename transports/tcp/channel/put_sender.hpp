// Sends bulk data: a put goes in pieces, each behind a frame that announces it, and its notice
// behind the last. It knows which puts are under way and how far each is; `frame_sender` gets the
// bytes into the socket.
//
//   stays mapped    zero copy, piece and notice together, so that one call sends many puts
//   eager           copied, and so done at once, piece and notice together as well
//   any other       one piece at a time, and the notice when all have gone: some bytes may turn out
//                   to be unreadable
#pragma once

#include <libam/seam/inbox.hpp>
#include <libam/seam/transfer.hpp>
#include <transports/tcp/channel/frame_sender.hpp>

#include <cstddef>

namespace am::detail::tcp {

class put_sender {
 public:
  put_sender(connection& connection, seam::sender_credits& credits, packed::frame_writer& frames,
             frame_sender& frame_sender, peers& all_peers, seam::inbox& arrivals) noexcept
      : connection_(connection),
        credits_(credits),
        frames_out_(frames),
        frame_sender_(frame_sender),
        peers_(all_peers),
        arrivals_(arrivals) {}

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty() && zero_copy_puts_.empty(); }
  // See port::put.
  seam::transfer_status begin(seam::transfer& one) noexcept;
  // Sends as much as the socket takes. Call it whenever the socket has taken something.
  void advance() noexcept {
    if (!empty()) advance_nonempty();
  }
  // Ends all puts: nothing is sent any more.
  void fail_pending() noexcept;

 private:
  seam::transfer_status send_copied(const seam::transfer& one) noexcept;
  void send_zero_copy(seam::transfer& one) noexcept;
  void announce(const seam::transfer& one, std::size_t from, std::size_t bytes) noexcept;
  // True: the open frame has to be sent now.
  bool add_notice(const seam::transfer& one) noexcept;
  void send_or_schedule(bool now) noexcept;
  [[nodiscard]] bool is_worth_a_call() noexcept;

  void advance_nonempty() noexcept;
  void queue_next_piece() noexcept;
  void end_sent_puts() noexcept;
  void end_put() noexcept;
  [[nodiscard]] bool is_source_unmapped() noexcept {
    return announced_ != 0 && frame_sender_.queue().had_unmapped();
  }

  connection& connection_;
  seam::sender_credits& credits_;
  packed::frame_writer& frames_out_;
  frame_sender& frame_sender_;
  peers& peers_;
  seam::inbox& arrivals_;
  seam::transfer_queue waiting_;         // some pieces of the first may have been sent
  std::size_t announced_ = 0;            // bytes of it that frames have announced
  seam::transfer_queue zero_copy_puts_;  // notices accepted, bytes are sent from their place
  std::size_t zero_copy_count_ = 0;
};

}  // namespace am::detail::tcp
