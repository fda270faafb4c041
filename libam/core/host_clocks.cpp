#include <libam/core/host_clocks.hpp>

#include <libam/core/library_handlers.hpp>

#include <algorithm>

namespace am::detail::core {

namespace {

am_rank first_traced(const std::vector<bool>& traced) noexcept {
  return static_cast<am_rank>(std::ranges::find(traced, true) - traced.begin());
}

}  // namespace

bool are_on_several_hosts(const std::vector<bool>& traced, const peers& of) noexcept {
  const am_rank host = of.host_of(first_traced(traced));
  for (am_rank rank = 0; rank < traced.size(); ++rank)
    if (traced[rank] && of.host_of(rank) != host) return true;
  return false;
}

host_clocks::host_clocks(requests& requests, peers& peers, progress& poll_loop,
                         const std::vector<bool>& traced, trace::writer& own) noexcept
    : requests_(requests),
      peers_(peers),
      progress_(poll_loop),
      own_(own),
      reference_(first_traced(traced)) {
  const am_rank me = peers_.rank(), host = peers_.host_of(me);
  am_rank first_here = host;
  while (first_here < me && !(traced[first_here] && peers_.host_of(first_here) == host))
    ++first_here;
  compares_ = first_here == me && host != peers_.host_of(reference_);
}

// Pings end with one that has taken hardly longer than the fastest before it.
void host_clocks::compare() {
  constexpr unsigned least = 20, most = 100;
  if (!compares_) return;
  ++measurement_;
  std::uint64_t fastest = ~std::uint64_t{0};
  for (unsigned i = 1; i <= most; ++i) {
    if (ask() != AM_OK || !is_answered_) return;
    const std::uint64_t took = answered_at_ - asked_at_;
    const bool is_fast = took <= fastest / 10 * 11;
    fastest = std::min(fastest, took);
    if (is_fast && i >= least) break;
  }
}

am_status host_clocks::ask() {
  is_answered_ = false;
  ++number_;
  am_status status = AM_AGAIN_CREDIT;
  while (am_status_reason(status) == AM_REASON_AGAIN) {
    status = requests_.wait_for_credit(reference_);
    if (status != AM_OK) return status;
    asked_at_ = own_.ordered_now();
    status = requests_.try_request(reference_, &clock_ping_handler, number_, 0, 0, 0);
  }
  for (wait_scope here(progress_.current_wait());
       status == AM_OK && !is_answered_ && !peers_.is_dead(reference_);)
    status = progress_.wait_step(here, "a comparison of clocks", &reference_);
  return status;
}

void host_clocks::take(am_word number, am_word there) noexcept {
  if (number != number_ || is_answered_) return;
  answered_at_ = own_.ordered_now();
  is_answered_ = true;
  own_.add_clock(asked_at_, answered_at_, reference_, measurement_, there);
}

}  // namespace am::detail::core
