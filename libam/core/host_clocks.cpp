#include <libam/core/host_clocks.hpp>

#include <libam/core/library_handlers.hpp>

#include <algorithm>

namespace am::detail::core {

namespace {

constexpr unsigned least_pings = 20;  // of a measurement
constexpr std::chrono::milliseconds late{100};

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
  constexpr unsigned most = 100;
  if (!compares_) return;
  if (pings_due_ != 0) end_measurement();        // one that a wait has begun
  next_measurement_ = clock::time_point::max();  // none begins in this one
  std::uint64_t fastest = ~std::uint64_t{0};
  for (unsigned i = 1; i <= most; ++i) {
    compares_ = ask() == AM_OK && is_answered_;
    if (!compares_) return;
    const std::uint64_t took = answered_at_ - asked_at_;
    const bool is_fast = took <= fastest / 10 * 11;
    fastest = std::min(fastest, took);
    if (is_fast && i >= least_pings) break;
  }
  end_measurement();
}

// After twice the time of the one before, as long as that is short: what is between two
// measurements is known the better the shorter that is, and a job that is killed loses the rest.
// Hosts do not all measure at one moment.
void host_clocks::end_measurement() noexcept {
  constexpr std::chrono::seconds longest{64};
  const std::chrono::milliseconds own_part(peers_.rank() % 100);
  ++measurement_;
  pings_due_ = 0;
  next_measurement_ = clock::now() + period_ + own_part;
  period_ = std::min(2 * period_, longest);
}

// Pings of one measurement follow each other: one that the reference or this rank has answered or
// taken late, as one that computed meanwhile, says little, and ends the measurement.
void host_clocks::refresh() noexcept {
  if (!compares_ || !is_answered_) return;
  const auto now = clock::now();
  if (pings_due_ == 0) {
    if (now < next_measurement_) return;
    pings_due_ = least_pings;
  } else if (now - begun_ > late) {
    end_measurement();
    return;
  }
  compares_ = peers_.has_contact(reference_) && !peers_.is_dead(reference_);
  // Without a credit the ping is sent later: it is no try of the program, and does not count.
  if (!compares_ || !requests_.has_credit(reference_)) return;
  begun_ = now;
  compares_ = try_ask() == AM_OK;
}

am_status host_clocks::try_ask() noexcept {
  is_answered_ = false;  // the answer may come while the ping is sent
  asked_at_ = own_.ordered_now();
  const am_status status =
      requests_.try_request(reference_, &clock_ping_handler, ++number_, 0, 0, 0);
  if (status != AM_OK) is_answered_ = true;
  return status;
}

am_status host_clocks::ask() {
  am_status status = AM_AGAIN_CREDIT;
  while (am_status_reason(status) == AM_REASON_AGAIN) {
    status = requests_.wait_for_credit(reference_);
    if (status != AM_OK) return status;
    status = try_ask();
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
  const bool in_wait = pings_due_ != 0;
  if (in_wait && clock::now() - begun_ > late) {
    end_measurement();
    return;
  }
  own_.add_clock(asked_at_, answered_at_, reference_, measurement_, there);
  if (in_wait && --pings_due_ == 0) end_measurement();
}

}  // namespace am::detail::core
