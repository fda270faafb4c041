// Peers that are out of reach, until core has heard of it.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/transport.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <string_view>

namespace am::detail::packed {

// Of what a loss is a sign: a connection that is gone may be the first that is heard of a death,
// which the launcher names; who says what cannot be right is alive.
enum class sign { of_trouble, of_death };

class losses {
 public:
  using clock = std::chrono::steady_clock;

  explicit losses(const seam::host& of) noexcept
      : to_(of.arrivals), outlives_deaths_(of.settings.outlives_deaths) {}

  // A launcher that has seen the rank die names it and ends the job, and has the time for that. It
  // also lets the other end speak first, if that knows of trouble.
  void add(am_rank peer, std::string_view why, sign of) {
    const bool at_once = of == sign::of_trouble || outlives_deaths_;
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
  const bool outlives_deaths_;
  std::deque<loss> all_;
};

}  // namespace am::detail::packed
