// Which thread may call: the owner's, outside handlers, while the endpoint is in its job.
#include <libam/base/error.hpp>
#include <libam/core/dispatcher.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/core/release_memory.hpp>

#include <utility>

namespace am::detail::core {

// No call is allowed until this rank has joined.
dispatcher::dispatcher(membership& membership, am_ep* handle, seam::event_sink& events,
                       am_rank ranks)
    : membership_(membership), received_(ranks) {
  owner_ = this_thread();
  handle_ = handle;
  events_ = &events;
  received_from_ = received_.data();
}

am_status dispatcher::refuse(const char* call) const {
  switch (state_) {
    case state::left:
      return base::fail(AM_USAGE_LEFT, "{}: this endpoint has left its job; join again", call);
    case state::forked:
      return base::fail(AM_USAGE_FORKED,
                        "{}: this endpoint belongs to the parent process; a forked child has none",
                        call);
    case state::open: break;
  }
  if (owner_ != this_thread())
    return base::fail(AM_USAGE_OTHER_THREAD,
                      "{}: this endpoint belongs to another thread; adopt it while that thread is "
                      "outside every call",
                      call);
  return base::fail(
      AM_USAGE_IN_HANDLER,
      "{} inside handler {}: a handler may only reply; set a flag and act on it after "
      "poll or wait",
      call, handler(running_).label);
}

am_status dispatcher::adopt() {
  if (state_ != state::open) return refuse("adopt");
  if (allowed_thread_ == nullptr)
    return base::fail(AM_USAGE_IN_HANDLER, "an endpoint cannot be adopted inside a call");
  owner_ = allowed_thread_ = this_thread();
  return AM_OK;
}

void dispatcher::on_fork() noexcept {
  allowed_thread_ = owner_ = nullptr;
  last_answered_ = serial_;  // a handler that runs in the child cannot reply for the parent
  state_ = state::forked;
}

void dispatcher::leave() noexcept {
  allowed_thread_ = owner_ = nullptr;
  state_ = state::left;
}

void dispatcher::release_memory() noexcept {
  table_ = nullptr;
  count_ = 0;
  return_path_ = nullptr;
  received_from_ = nullptr;
  free_containers(handlers_, received_, store_buffer_);
}

void dispatcher::install(std::vector<entry> table) noexcept {
  for (std::size_t id = 0; id + 1 < handlers_.size(); ++id) table[id].runs = handlers_[id].runs;
  handlers_ = std::move(table);
  table_ = handlers_.data();
  count_ = static_cast<std::uint32_t>(handlers_.size() - 1);
  with_room_.default_answer_id = no_answer_handler.id;
}

void dispatcher::fill_exposure(exposure& to) const noexcept {
  to.allowed_thread = &allowed_thread_;
  to.running = &running_;
  to.source = &source_;
  to.handlers = &table_;
  to.handler_count = &count_;
  to.received = received_.data();
}

}  // namespace am::detail::core
