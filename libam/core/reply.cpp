// What a running handler may do: answer, once; and what happens to messages that cannot run.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/convert.hpp>

namespace am::detail::core {

am_status dispatcher::reply(std::uint64_t serial, const am_handler* handler, am_word w0, am_word w1,
                            am_word w2, am_word w3) {
  if (!may_reply(serial, handler)) [[unlikely]]
    return refuse_reply(serial, handler);
  answered_ = serial;
  return back_->reply(handler->id, w0, w1, w2, w3);
}

am_status dispatcher::refuse_reply(std::uint64_t serial, const am_handler* handler) const {
  if (state_ != state::open) return refuse("reply");
  if (serial != serial_)
    return base::fail(AM_USAGE_REPLIED,
                      "a reply with a stale token: it ended when its handler returned");
  const char* running = this->handler(running_).label;
  if (serial == answered_)
    return base::fail(AM_USAGE_REPLIED, "handler {} has replied already: once is all", running);
  if (back_ == nullptr)
    return base::fail(AM_USAGE_IN_HANDLER,
                      "{} runs as a reply handler: nothing may answer an answer", running);
  return refuse_handler("a reply", handler);
}

void dispatcher::run_instead(am_token token, std::uint32_t handler, const am_word* words,
                             void* where, std::size_t bytes) noexcept {
  running_ = handler < count_ ? handler : count_;
  placed_ = true;
  ++table_[running_].runs;
  table_[running_].fn(token, words, where, bytes);
  placed_ = false;
}

bool dispatcher::give_back_instead(am_status reason, std::uint32_t handler,
                                   const am_word* words) noexcept {
  running_ = handler < count_ ? handler : count_;
  if (back_ == nullptr) return false;
  answered_ = serial_;
  back_->give_back(reason, running_, words);
  return true;
}

void dispatcher::handler_threw(const char* handler, const char* what) noexcept {
  in_.abort(1, base::format("handler {} let an exception out: {}", handler, what));
}

// A message of libam's own says what no libam says.
void dispatcher::accuse(const char* what, std::uint64_t found, std::uint64_t allowed) noexcept {
  const char* const bound = found < allowed ? "least" : "most";
  in_.abort(1, base::format("rank {} has sent nonsense: {}: {}, where {} is the {}", source_, what,
                            found, allowed, bound));
}

void dispatcher::give_back_missing(am_token token, const am_word* words, const void*, std::size_t) {
  endpoint& ep = of(token.ep);
  dispatcher& self = ep.dispatch();
  if (self.back_ == nullptr) return ep.callbacks().undeliverable(AM_ARGUMENT_HANDLER, words, true);
  self.answered_ = self.serial_;
  self.back_->give_back(AM_ARGUMENT_HANDLER, self.running_, words);
}

}  // namespace am::detail::core
