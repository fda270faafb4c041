// Replies of a running handler, at most one each; and messages that cannot run.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/endpoint_handle.hpp>

namespace am::detail::core {

am_status dispatcher::reply(std::uint64_t serial, const am_handler* handler, am_word w0, am_word w1,
                            am_word w2, am_word w3) {
  if (!may_reply(serial, handler)) [[unlikely]]
    return refuse_reply(serial, handler);
  last_answered_ = serial;
  return return_path_->reply(handler->id, w0, w1, w2, w3);
}

am_status dispatcher::refuse_reply(std::uint64_t serial, const am_handler* handler) const {
  if (state_ != state::open) return refuse("reply");
  if (serial != serial_)
    return base::fail(AM_USAGE_REPLIED,
                      "a reply with a stale token: it ended when its handler returned");
  const char* running = this->handler(running_).label;
  if (serial == last_answered_)
    return base::fail(AM_USAGE_REPLIED, "handler {} has replied already: it may reply once",
                      running);
  if (return_path_ == nullptr)
    return base::fail(AM_USAGE_IN_HANDLER, "{} runs as a reply handler: a reply cannot be answered",
                      running);
  return refuse_handler("a reply", handler);
}

void dispatcher::run_carried(am_token token, std::uint32_t handler, const am_word* words,
                             void* where, std::size_t bytes) noexcept {
  running_ = handler < count_ ? handler : count_;
  placed_ = true;
  ++table_[running_].runs;
  table_[running_].fn(token, words, where, bytes);
  placed_ = false;
}

bool dispatcher::return_carried(am_status reason, std::uint32_t handler,
                                const am_word* words) noexcept {
  running_ = handler < count_ ? handler : count_;
  if (return_path_ == nullptr) return false;
  last_answered_ = serial_;
  return_path_->return_request(reason, running_, words);
  return true;
}

void dispatcher::on_handler_exception(const char* handler, const char* what) noexcept {
  membership_.abort(1, base::format("handler {} threw an exception: {}", handler, what));
}

// A message of libam's own has contents that libam never sends.
void dispatcher::report_violation(const char* what, std::uint64_t found,
                                  std::uint64_t allowed) noexcept {
  const char* const bound = found < allowed ? "least" : "most";
  membership_.abort(1, base::format("rank {} has violated the protocol: {}: {}, where {} is the {}",
                                    source_, what, found, allowed, bound));
}

void dispatcher::on_missing_handler(am_token token, const am_word* words, const void*,
                                    std::size_t) {
  endpoint& ep = endpoint_of(token.ep);
  dispatcher& self = ep.dispatcher();
  if (self.return_path_ == nullptr)
    return ep.callbacks().report_undeliverable(AM_ARGUMENT_HANDLER, words, true);
  self.last_answered_ = self.serial_;
  self.return_path_->return_request(AM_ARGUMENT_HANDLER, self.running_, words);
}

}  // namespace am::detail::core
