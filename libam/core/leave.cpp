// Leaving is collective: no rank leaves while another still has requests in flight.
#include <libam/core/endpoint.hpp>
#include <libam/core/endpoint_list.hpp>

namespace am::detail::core {

namespace {

// Behind a fence, so that the rank whose clock is read does nothing but answer. If that fails, so
// does the fence at the end.
void compare_clocks_at_close(endpoint& of) {
  if (!of.attached.serves_clocks) return;
  if (of.progress().fence(progress::fence_work::handlers) != AM_OK) return;
  if (host_clocks* const clocks = of.transports().clocks(); clocks != nullptr) clocks->compare();
}

}  // namespace

// When no request of this rank is unanswered and every rank is in the fence, nothing is in flight:
// the handlers that run in the fence can only reply.
am_status endpoint::close() {
  if (const am_status status = progress_.check_fence_allowed("close"); status != AM_OK)
    return status;
  // Posted functions run before this rank stops sending requests.
  progress_.close_posts(AM_USAGE_LEFT);
  while (progress_.run_posted()) {
    if (!dispatcher_.may_call()) return dispatcher_.refuse("close");
  }
  compare_clocks_at_close(*this);
  am_status status = bulk_calls_.flush();
  for (wait_scope here(progress_.current_wait());
       status == AM_OK && !(all_answered() && bulk_.is_quiescent());)
    status = progress_.wait_step(here, "close");
  requests_.disable_later();
  if (status == AM_OK) status = progress_.fence(progress::fence_work::handlers);
  if (status == AM_OK) {
    transports_.each([](seam::transport& t) { t.leave(); });
    membership_.job->leave();
  }
  release();
  return status;
}

bool endpoint::all_answered() noexcept {
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank) {
    seam::port& port = peers_.port(rank);
    if (port.credits.in_flight() == 0) continue;
    bulk_.sender.refresh_credits(port);
    if (port.credits.in_flight() != 0) return false;
  }
  return true;
}

void endpoint::abandon() noexcept {
  if (dispatcher_.may_call()) release();
}

void endpoint::on_fork() noexcept {
  hide(stalls_.exposed_state());
  if (transports_.trace() != nullptr) transports_.trace()->abandon();
  stalls_.current_wait().by = nullptr;
  dispatcher_.on_fork();
  progress_.on_fork();
}

int endpoint::descriptor() const noexcept {
  return membership_.job != nullptr && dispatcher_.is_open() ? progress_.descriptor() : -1;
}

void endpoint::release() noexcept {
  statistics_.write();
  hide(stalls_.exposed_state());
  dispatcher_.leave();
  remove_endpoint(*this);
  bulk_.own_segments.release_all();
  if (transports_.observed_by() != nullptr) transports_.observed_by()->note_computed();
  if (transports_.trace() != nullptr) disown_trace(*this);
  stalls_.current_wait().by = nullptr;
  transports_.clear();
  progress_.leave();
  attached.team.reset();
  membership_.job.reset();
  release_memory();
  keep_closed_endpoint(std::unique_ptr<endpoint>(this));
}

// The object itself stays, for late calls: a program that joins and leaves often has many. Callers
// up the stack, such as a wait whose function has closed the endpoint, check may_call() before
// anything else.
void endpoint::release_memory() noexcept {
  dispatcher_.release_memory();
  peers_.release_memory();
  bulk_.release_memory();
  hooked_.reset();
  failures_.release_memory();
  stalls_.release_memory();
  membership_.settings.reset();
  statistics_.close_file();
}

}  // namespace am::detail::core
