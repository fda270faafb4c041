#include <transports/dial/overhead.hpp>

#include <libam/base/log.hpp>

#include <algorithm>

namespace am::detail::dial {

namespace {
constexpr unsigned learned = 16;  // of so many messages one, once the medians are settled
}

ticks overhead::spend_whole(ticks since, ticks more) noexcept {
  const ticks before = clock_.now() - since;
  if (last_rest_ != 0 && (!rest_.is_settled() || ++messages_ % learned == 0))
    learn(last_before_ + last_rest_);
  last_rest_ = 0;
  last_before_ = before;
  return clock_.spin_until(since + more + whole_ - std::min(rest_.value(), whole_));
}

void overhead::learn(ticks own) noexcept {
  rest_.add(last_rest_);
  own_.add(own);
  if (said_ || !own_.is_settled() || own_.value() <= whole_) return;
  said_ = true;
  base::log(base::log_level::warn,
            "AM_DIAL: {}={:.0f}ns cannot be had: a message takes {:.0f} ns "
            "by itself",
            name_, clock_.ns(whole_), clock_.ns(own_.value()));
}

}  // namespace am::detail::dial
