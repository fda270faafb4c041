// Peers that are out of reach, until core has heard of it.
#pragma once

#include <libam/seam/transport.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <string_view>

namespace am::detail::packed {

class losses {
 public:
  using clock = std::chrono::steady_clock;

  explicit losses(seam::inbox& to) noexcept : to_(to) {}

  // A launcher that has seen the rank die names it and ends the job; unless `at_once` it has the
  // time for that. It also lets the other end speak first, if that knows of trouble.
  void add(am_rank peer, std::string_view why, bool at_once) {
    const auto told = clock::now() + (at_once ? clock::duration::zero() : time_for_the_launcher);
    all_.insert(std::ranges::upper_bound(all_, told, {}, &loss::told),
                {peer, std::string(why), told});
  }

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] clock::time_point next_deadline() const noexcept {
    return empty() ? clock::time_point::max() : all_.front().told;
  }
  void tell(clock::time_point now) noexcept {
    while (!empty() && all_.front().told <= now) {
      to_.hear_of_loss(all_.front().peer, all_.front().why);
      all_.pop_front();
    }
  }

 private:
  static constexpr clock::duration time_for_the_launcher = std::chrono::seconds(1);

  struct loss {
    am_rank peer;
    std::string why;
    clock::time_point told;
  };

  seam::inbox& to_;
  std::deque<loss> all_;
};

}  // namespace am::detail::packed
