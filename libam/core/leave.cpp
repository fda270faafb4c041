// Leaving is collective: nobody goes while a neighbour still asks.
#include <libam/core/endpoint.hpp>
#include <libam/core/roll.hpp>

namespace am::detail::core {

// When every request of this rank is answered for and every rank has come so far, nothing is on
// its way to anyone: the handlers that run in the fence can only reply.
am_status endpoint::close() {
  if (const am_status status = progress_.may_fence("close"); status != AM_OK) return status;
  // What was handed in runs before this rank asks for nothing more.
  progress_.shut_posts(AM_USAGE_LEFT);
  while (progress_.run_posted()) {
    if (!dispatcher_.in_order()) return dispatcher_.refuse("close");
  }
  am_status status = bulk_calls_.flush();
  for (blocked here(progress_.doing()); status == AM_OK && !(all_answered() && bulk_.settled());)
    status = progress_.wait_a_turn(here, "close");
  requests_.end_later();
  if (status == AM_OK) status = progress_.fence(progress::meanwhile::handlers);
  if (status == AM_OK) {
    transports_.each([](seam::transport& t) { t.leave(); });
    in_.job->leave();
  }
  release();
  return status;
}

bool endpoint::all_answered() noexcept {
  for (am_rank rank = 0; rank < peers_.ranks(); ++rank) {
    seam::port& port = peers_.port(rank);
    if (port.credits.on_their_way() == 0) continue;
    bulk_.by.refresh(port);
    if (port.credits.on_their_way() != 0) return false;
  }
  return true;
}

void endpoint::abandon() noexcept {
  if (dispatcher_.in_order()) release();
}

void endpoint::forked() noexcept {
  hide(stalls_.shown());
  dispatcher_.forked();
  progress_.forked();
}

int endpoint::descriptor() const noexcept {
  return in_.job != nullptr && dispatcher_.is_open() ? progress_.descriptor() : -1;
}

void endpoint::release() noexcept {
  statistics_.write();
  hide(stalls_.shown());
  dispatcher_.leave();
  strike(*this);
  bulk_.own.give_back_all();
  transports_.clear();
  progress_.leave();
  attached.team.reset();
  in_.job.reset();
  give_back_memory();
  keep(std::unique_ptr<endpoint>(this));
}

// The object itself stays, for late calls: a program that joins and leaves often has many. Callers
// that are up the stack, as a wait whose function has closed, look at the gate before all else.
void endpoint::give_back_memory() noexcept {
  dispatcher_.give_back_memory();
  peers_.give_back_memory();
  bulk_.give_back_memory();
  failures_.give_back_memory();
  stalls_.give_back_memory();
  in_.settings.reset();
  statistics_.close_file();
}

}  // namespace am::detail::core
