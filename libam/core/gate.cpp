// Who may call: the owner's thread, outside handlers, while the endpoint is in its job.
#include <libam/base/error.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/dispatcher.hpp>
#include <libam/core/exposure.hpp>
#include <libam/core/give_back.hpp>

#include <utility>

namespace am::detail::core {

// The gate stays shut until this rank has joined.
dispatcher::dispatcher(membership& in, am_ep* face, seam::news& told, am_rank ranks)
    : in_(in), came_(ranks) {
  owner_ = this_thread();
  face_ = face;
  news_ = &told;
  came_from_ = came_.data();
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
  if (gate_ == nullptr)
    return base::fail(AM_USAGE_IN_HANDLER, "an endpoint cannot change hands inside a call");
  owner_ = gate_ = this_thread();
  return AM_OK;
}

void dispatcher::forked() noexcept {
  gate_ = owner_ = nullptr;
  answered_ = serial_;  // a handler that is running cannot reply in the parent's place
  state_ = state::forked;
}

void dispatcher::leave() noexcept {
  gate_ = owner_ = nullptr;
  state_ = state::left;
}

void dispatcher::give_back_memory() noexcept {
  table_ = nullptr;
  count_ = 0;
  back_ = nullptr;
  came_from_ = nullptr;
  give_back_room(handlers_, came_, stored_);
}

void dispatcher::install(std::vector<entry> table) noexcept {
  for (std::size_t id = 0; id + 1 < handlers_.size(); ++id) table[id].runs = handlers_[id].runs;
  handlers_ = std::move(table);
  table_ = handlers_.data();
  count_ = static_cast<std::uint32_t>(handlers_.size() - 1);
  with_room_.no_answer = no_answer_handler.id;
}

void dispatcher::show(exposure& to) const noexcept {
  to.gate = &gate_;
  to.running = &running_;
  to.source = &source_;
  to.handlers = &table_;
  to.handler_count = &count_;
  to.came = came_.data();
}

}  // namespace am::detail::core
