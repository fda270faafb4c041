// Losses of connections, until they are reported to core.
#pragma once

#include <libam/seam/transport.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <string_view>

namespace am::detail::packed {

// The cause of a loss. `maybe_death`: a connection has ended or is silent, perhaps because the rank
// has died, which the launcher will report. `error`: a protocol violation, for which the peer has
// to be alive, or a failure of this process.
enum class loss_cause { error, maybe_death };

class loss_queue {
 public:
  using clock = std::chrono::steady_clock;

  explicit loss_queue(const seam::transport_context& of) noexcept : inbox_(of.arrivals) {}

  // The delay gives a launcher that has seen the rank die the time to name it, and to end the job
  // or to report the death: a rank that is dead for this one is not lost as well. It also lets the
  // other end report an error first.
  void add(am_rank peer, std::string_view why, loss_cause of) {
    const bool at_once = of == loss_cause::error;
    const auto report_at = clock::now() + (at_once ? clock::duration::zero() : launcher_grace);
    all_.insert(std::ranges::upper_bound(all_, report_at, {}, &loss::report_at),
                {peer, std::string(why), report_at});
  }

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] clock::time_point next_deadline() const noexcept {
    return empty() ? clock::time_point::max() : all_.front().report_at;
  }
  void report_due(clock::time_point now) noexcept {
    while (!empty() && all_.front().report_at <= now) {
      inbox_.report_loss(all_.front().peer, all_.front().why);
      all_.pop_front();
    }
  }

 private:
  static constexpr clock::duration launcher_grace = std::chrono::seconds(1);

  struct loss {
    am_rank peer;
    std::string why;
    clock::time_point report_at;
  };

  seam::inbox& inbox_;
  std::deque<loss> all_;
};

}  // namespace am::detail::packed
