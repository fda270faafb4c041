// Detects hosts that have fallen silent, by TCP keepalive. The system sends probes to the hosts of
// silent peers, and their systems answer, so a peer that computes or is stopped is not silent. This
// class checks that answers keep coming: the system alone does not where data is unacknowledged or
// the peer's window is closed, and its own limit for these (TCP_USER_TIMEOUT) would also cut off a
// peer that merely does not read.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::packed {

class keepalive {
 public:
  using clock = std::chrono::steady_clock;

  explicit keepalive(std::chrono::seconds timeout) noexcept : timeout_(timeout) {}

  [[nodiscard]] std::chrono::seconds timeout() const noexcept { return timeout_; }

  // An established connection with `end`, which may have several; remove it before its socket is
  // closed.
  void add(std::uint32_t end, int socket);
  void remove(int socket) noexcept;

  // Checks, if that is due. Returns the ends from which nothing has come for the timeout, over any
  // of their connections.
  std::vector<std::uint32_t> check_silence(clock::time_point now);
  [[nodiscard]] clock::time_point next_check() const noexcept { return next_check_; }
  // When the next check is due; never while there is no connection.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  struct monitored_socket {
    std::uint32_t end;
    int socket;
    std::uint32_t received;  // TCP segments, at the last check
    unsigned silent_checks;  // checks since the last segment
  };

  [[nodiscard]] bool is_silent(std::uint32_t end) const noexcept;

  const std::chrono::seconds timeout_;
  clock::time_point next_check_{};
  std::vector<monitored_socket> monitored_;
};

}  // namespace am::detail::packed
