// Whose host has fallen silent. The system asks the hosts of silent peers for a sign of life, and
// they answer by themselves, so a peer that computes or is stopped is not silent. That the signs
// keep coming is watched here: the system alone would not see it where something is unacknowledged
// or the peer's window is shut, and its own limit for these (TCP_USER_TIMEOUT) would also cut off a
// peer that merely does not read.
#pragma once

#include <am/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::tcp {

class vigil {
 public:
  using clock = std::chrono::steady_clock;

  explicit vigil(std::chrono::seconds timeout) noexcept : timeout_(timeout) {}

  [[nodiscard]] std::chrono::seconds timeout() const noexcept { return timeout_; }

  // A connection that stands; end it before its socket is closed.
  void begin(am_rank peer, int socket);
  void end(int socket) noexcept;

  // Looks, if it is time: peers from whose hosts nothing has come for the timeout.
  std::vector<am_rank> look(clock::time_point now);
  // When it is; never while there is no connection.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  struct connection {
    am_rank peer;
    int socket;
    std::uint32_t came;    // segments, when looked at last
    unsigned quiet_looks;  // since then nothing has come
  };

  const std::chrono::seconds timeout_;
  clock::time_point next_look_{};
  std::vector<connection> all_;
};

}  // namespace am::detail::tcp
