// Gets whose bytes are here, and that end only when a dialled network would have brought them.
#pragma once

#include <libam/seam/inbox.hpp>
#include <transports/dial/card.hpp>

#include <algorithm>
#include <deque>

namespace am::detail::dial {

class late_gets {
 public:
  explicit late_gets(seam::inbox& arrivals) : arrivals_(arrivals) {}

  void add(am_rank from, seam::transfer& one, ticks due) {
    const auto behind = std::ranges::upper_bound(all_, due, {}, &late_get::due);
    all_.insert(behind, {from, &one, due});
  }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] ticks first_due() const noexcept { return all_.front().due; }

  void end_due(ticks now) noexcept {
    while (!all_.empty() && all_.front().due <= now) {
      seam::transfer& one = *all_.front().what;
      all_.pop_front();
      arrivals_.end_transfer(one, seam::transfer_status::done);
    }
  }
  // That peer is dead or lost.
  void fail(am_rank from) noexcept {
    for (const late_get& one : all_)
      if (one.from == from) arrivals_.end_transfer(*one.what, seam::transfer_status::unsupported);
    std::erase_if(all_, [from](const late_get& one) { return one.from == from; });
  }

 private:
  struct late_get {
    am_rank from;
    seam::transfer* what;
    ticks due;
  };

  seam::inbox& arrivals_;
  std::deque<late_get> all_;  // by the time at which they end
};

}  // namespace am::detail::dial
