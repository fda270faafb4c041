// What a running handler may do: answer, once; and what happens to messages that cannot run.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/handlers.hpp>

#include <algorithm>

namespace am::detail::core {

inline bool endpoint::may_reply(std::uint64_t serial, const am_handler* handler) const noexcept {
  const bool may_reply = serial == serial_ && back_ != nullptr && serial != answered_;
  return may_reply && handler != nullptr && handler->id < count_;
}

am_status endpoint::reply(std::uint64_t serial, const am_handler* handler, am_word w0, am_word w1,
                          am_word w2, am_word w3) {
  if (!may_reply(serial, handler)) [[unlikely]]
    return refuse_reply(serial, handler);
  answered_ = serial;
  return back_->reply(handler->id, w0, w1, w2, w3);
}

am_status endpoint::reply_at(std::uint64_t serial, const am_handler* handler, void* where,
                             const am_word* words) {
  if (!may_reply(serial, handler)) return refuse_reply(serial, handler);
  answered_ = serial;
  back_->reply_at(handler->id, words, where);
  return AM_OK;
}

am_status endpoint::refuse_reply(std::uint64_t serial, const am_handler* handler) const {
  if (state_ != state::open) return refuse("reply");
  if (serial != serial_)
    return base::fail(AM_USAGE_REPLIED,
                      "a reply with a stale token: it ended when its handler returned");
  const char* running = table_[running_ < count_ ? running_ : count_].label;
  if (serial == answered_)
    return base::fail(AM_USAGE_REPLIED, "handler {} has replied already: once is all", running);
  if (back_ == nullptr)
    return base::fail(AM_USAGE_IN_HANDLER,
                      "{} runs as a reply handler: nothing may answer an answer", running);
  return refuse_handler("a reply", handler);
}

void endpoint::handler_threw(const char* handler, const char* what) noexcept {
  abort(1, base::format("handler {} let an exception out: {}", handler, what));
}

// A message of libam's own says what no libam says.
void endpoint::accuse(const char* what, std::uint64_t found, std::uint64_t allowed) noexcept {
  abort(1, base::format("rank {} has sent nonsense: {}: {}, where {} is the most", source_, what,
                        found, allowed));
}

void endpoint::on_undeliverable(am_undeliverable_fn* fn, void* arg) noexcept {
  undeliverable_ = fn;
  undeliverable_arg_ = arg;
}

// The dispatch table's entry for handlers that this rank does not have.
void endpoint::give_back_missing(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& self = of(token.ep);
  if (self.back_ == nullptr) return self.name_undeliverable(AM_ARGUMENT_HANDLER, words, true);
  self.answered_ = self.serial_;
  self.back_->give_back(AM_ARGUMENT_HANDLER, self.running_, words);
}

void endpoint::take_back(seam::inbox& inbox, am_status reason, const am_word* words,
                         bool unknown) noexcept {
  auto& self = static_cast<endpoint&>(inbox);
  if (!self.take_back_own(words)) self.name_undeliverable(reason, words, unknown);
}

void endpoint::name_undeliverable(am_status reason, const am_word* words, bool unknown) noexcept {
  am_returned message{source_, reason, {}, table_[std::min(running_, count_)].label, unknown};
  std::copy_n(words, AM_WORDS, message.words);
  if (undeliverable_ != nullptr) {
    undeliverable_({face_, serial_}, &message, undeliverable_arg_);
    return;
  }
  abort(1, base::format("a message for handler {} with words {:#x} {:#x} {:#x} {:#x}, rank {}: {}; "
                        "on_undeliverable would take it",
                        message.handler, words[0], words[1], words[2], words[3], source_,
                        base::status_text(reason)));
}

}  // namespace am::detail::core
