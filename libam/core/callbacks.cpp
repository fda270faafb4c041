#include <libam/core/callbacks.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>

#include <algorithm>

namespace am::detail::core {

void callbacks::report_undeliverable(am_status reason, const am_word* words,
                                     bool unknown) noexcept {
  const am_rank peer = dispatcher_.source();
  am_returned message{peer, reason, {}, dispatcher_.handler(dispatcher_.running()).label, unknown};
  std::copy_n(words, AM_WORDS, message.words);
  if (undeliverable_ != nullptr)
    return undeliverable_(dispatcher_.token(), &message, undeliverable_arg_);
  membership_.abort(
      1, base::format("a message between this rank and rank {}, for handler {}, with words {:#x} "
                      "{:#x} {:#x} {:#x} could not be delivered: {}; register on_undeliverable to "
                      "receive such messages",
                      peer, message.handler, words[0], words[1], words[2], words[3],
                      base::status_text(reason)));
}

void callbacks::report_peer_failure(am_rank peer) noexcept {
  if (peer_failure_ == nullptr) return;
  seam::inbox::batch here(dispatcher_, peer, nullptr);
  here.set_no_handler();
  peer_failure_(dispatcher_.token(), peer, peer_failure_arg_);
}

}  // namespace am::detail::core
