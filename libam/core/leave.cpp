// Leaving is collective: nobody goes while a neighbour still asks.
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/core/endpoint.hpp>
#include <libam/core/roll.hpp>

#include <utility>

namespace am::detail::core {

// When every request of this rank is answered for and every rank has come so far, nothing is on
// its way to anyone: the handlers that run in the fence can only reply.
am_status endpoint::close() {
  if (!in_order()) return refuse("close");
  // What was handed in runs before this rank asks for nothing more.
  posts_.shut(AM_USAGE_LEFT);
  while (run_posted()) {
    if (!in_order()) return refuse("close");
  }
  am_status status = flush();
  for (blocked here(shown_.doing); status == AM_OK && !(all_answered() && bulk_.settled());)
    wait_a_turn(here, "close");
  leaves_ = true;  // handlers that run from now on may ask for nothing more
  if (status == AM_OK) status = fence_and_wait(true);
  if (status == AM_OK) {
    for (const way& w : ways_)
      if (w.transport != nullptr) w.transport->leave();
    job_->leave();
  }
  release();
  return status;
}

bool endpoint::all_answered() noexcept {
  for (am_rank rank = 0; rank < ranks_; ++rank) {
    seam::port& port = *ports_[rank];
    if (port.credits.on_their_way() == 0) continue;
    refresh(port);
    if (port.credits.on_their_way() != 0) return false;
  }
  return true;
}

void endpoint::abandon() noexcept {
  if (in_order()) release();
}

void endpoint::release() noexcept {
  write_stats();
  hide(shown_);
  gate_ = owner_ = nullptr;
  state_ = state::left;
  strike(*this);
  give_back_segments();
  polled_.clear();
  ways_.clear();
  posts_.shut(AM_USAGE_LEFT);
  if (const unsigned left = posts_.discard(); left != 0)
    base::log(base::log_level::warn, "{} posted functions have not run", left);
  sleeper_ = {};
  team_.reset();
  job_.reset();
  give_back_memory();
  keep(std::unique_ptr<endpoint>(this));
}

// The object itself stays, for late calls: a program that joins and leaves often has many. Callers
// that are up the stack, as a wait whose function has closed, look at the gate before all else.
void endpoint::give_back_memory() noexcept {
  const auto empty = [](auto&... each) { (std::exchange(each, {}), ...); };  // clear() keeps room
  ports_ = nullptr;
  table_ = nullptr;
  count_ = 0;
  back_ = nullptr;
  came_from_ = nullptr;
  empty(polled_, came_, traffic_, stalls_.peers, port_views_, port_of_, ways_, handlers_);
  bulk_ = bulk(0);
  failure_.unburied.clear();
  failure_.lost.clear();
  settings_ = {};
  stats_file_ = {};
}

void endpoint::abort(int exit_status, std::string_view line) noexcept {
  if (!line.empty()) base::log_line(base::log_level::error, line);
  if (job_ != nullptr) job_->abort(exit_status, line);
  std::_Exit(exit_status);
}

}  // namespace am::detail::core
