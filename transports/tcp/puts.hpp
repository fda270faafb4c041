// Bulk data of this rank on its way out: what is put goes in pieces, each behind a frame that
// announces it, and its notice behind the last. It knows which puts are under way and how far each
// is; that the bytes get into the socket is the business of `sending`.
//
//   stays mapped    a piece from where it is and its notice at once, so that many leave in one call
//   few bytes       copied, and so done, piece and notice at once as well
//   any other       one piece at a time, and the notice when all have gone: it may turn out that
//                   some cannot be read
#pragma once

#include <libam/seam/inbox.hpp>
#include <libam/seam/transfer.hpp>
#include <transports/tcp/sending.hpp>

#include <cstddef>

namespace am::detail::tcp {

class puts {
 public:
  puts(connection& by, seam::sender_credits& of_pair, packed::frame_writer& frames,
       sending& through, peers& all, seam::inbox& told) noexcept
      : connection_(by),
        credits_(of_pair),
        frames_out_(frames),
        sending_(through),
        peers_(all),
        arrivals_(told) {}

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty() && lent_.empty(); }
  // As port::put.
  seam::reach begin(seam::transfer& one) noexcept;
  // As far as the socket takes it, and after each time that it took something.
  void go_on() noexcept {
    if (!empty()) go_on_with_some();
  }
  // Nothing is sent any more.
  void give_up() noexcept;

 private:
  seam::reach copy(const seam::transfer& one) noexcept;
  void lend(seam::transfer& one) noexcept;
  void announce(const seam::transfer& one, std::size_t from, std::size_t bytes) noexcept;
  // True: the open frame has to leave now.
  bool tell(const seam::transfer& one) noexcept;
  void leave(bool now) noexcept;
  [[nodiscard]] bool is_enough() noexcept;

  void go_on_with_some() noexcept;
  void load_piece() noexcept;
  void end_those_gone() noexcept;
  void end_put() noexcept;
  [[nodiscard]] bool is_torn() noexcept { return promised_ != 0 && sending_.bulk().is_torn(); }

  connection& connection_;
  seam::sender_credits& credits_;
  packed::frame_writer& frames_out_;
  sending& sending_;
  peers& peers_;
  seam::inbox& arrivals_;
  seam::transfer_queue waiting_;  // the first of them may be on its way in pieces
  std::size_t promised_ = 0;      // bytes of it that have been promised in frames
  seam::transfer_queue lent_;  // their notices are accepted, and their bytes leave from their place
  std::size_t lent_count_ = 0;
};

}  // namespace am::detail::tcp
