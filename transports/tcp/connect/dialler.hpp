// Makes this rank's connections: it tries each address of a peer in turn, again after a delay,
// until the peer has proved itself at one of them, or none answers and the attempt is given up.
#pragma once

#include <transports/tcp/connect/handshake.hpp>
#include <transports/tcp/connect/rank_address.hpp>
#include <transports/tcp/link/epoll_set.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace am::detail::tcp {

class dialler {
 public:
  using clock = std::chrono::steady_clock;

  // `timeout`: how long an address may be silent.
  dialler(epoll_set& sockets, const identity& me, std::chrono::seconds timeout) noexcept
      : sockets_(sockets), me_(me), timeout_(timeout) {}

  void connect(am_rank peer, std::span<const address> addresses, clock::time_point now);
  [[nodiscard]] bool is_connecting_to(am_rank peer) const { return pending_.contains(peer); }
  // Both ends have proved themselves, so the peer may have sent its welcome already.
  [[nodiscard]] bool may_be_welcome(am_rank peer) const {
    const auto found = pending_.find(peer);
    return found != pending_.end() && found->second.attempt &&
           found->second.attempt->awaits_verdict();
  }
  // The peer has connected itself, and its connection is used.
  void cancel(am_rank peer);

  // An event at the socket of an attempt. Returns the link once the connection is established; then
  // the attempt is over.
  std::optional<tcp_link> advance(am_rank peer, clock::time_point now);
  // Retries what is due, then calls on_given_up(peer, why) for each peer that is given up.
  template <class OnGivenUp>
  void retry_due(clock::time_point now, OnGivenUp&& on_given_up) {
    for (auto at = pending_.begin(); at != pending_.end();) {
      if (!at->second.given_up) retry_if_due(at->first, at->second, now);
      if (at->second.given_up) {
        const am_rank peer = at->first;
        const std::string why = describe_failures(at->second);
        at = pending_.erase(at);
        on_given_up(peer, why);
      } else {
        ++at;
      }
    }
  }
  // When that is due.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  // How an address has failed; none: the rank may be running there.
  enum class failure { none, not_listening, disconnected, unreachable };
  struct candidate {
    address where;
    std::string why;
    failure last_failure = failure::none;
  };
  struct pending_connect {
    std::vector<candidate> candidates;
    std::size_t current = 0;  // the candidate of the attempt, or of the next one
    std::optional<connector_handshake> attempt;
    clock::time_point next_try{};  // or, with an attempt, when that is given up
    clock::duration retry_delay{};
    clock::time_point last_alive{};  // the last time at which the rank may have been running
    bool given_up = false;
  };

  void retry_if_due(am_rank peer, pending_connect& pending, clock::time_point now);
  void start_attempt(am_rank peer, pending_connect& pending, clock::time_point now);
  void fail(pending_connect& pending, std::string why, failure what, clock::time_point now);
  [[nodiscard]] static failure failure_of(int error) noexcept;
  [[nodiscard]] clock::duration give_up_after(const candidate& one) const noexcept;
  [[nodiscard]] std::string describe_failures(const pending_connect& pending) const;

  epoll_set& sockets_;
  const identity& me_;
  const std::chrono::seconds timeout_;
  std::map<am_rank, pending_connect> pending_;
};

}  // namespace am::detail::tcp
