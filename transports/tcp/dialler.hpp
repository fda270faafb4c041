// Connections that this rank is making: to each address of a peer in turn, again after a while, and
// sooner or later to the one who proves to be that peer; or none answers, and the call is given up.
#pragma once

#include <transports/tcp/address.hpp>
#include <transports/tcp/handshake.hpp>
#include <transports/tcp/watcher.hpp>

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
  dialler(watcher& sockets, const identity& me, std::chrono::seconds timeout) noexcept
      : sockets_(sockets), me_(me), timeout_(timeout) {}

  void call(am_rank peer, std::span<const address> addresses, clock::time_point now);
  [[nodiscard]] bool is_calling(am_rank peer) const { return calls_.contains(peer); }
  // It has proven itself to this rank and this rank to it, so it may have welcomed the call
  // already.
  [[nodiscard]] bool may_be_welcome(am_rank peer) const {
    const auto found = calls_.find(peer);
    return found != calls_.end() && found->second.attempt &&
           found->second.attempt->awaits_verdict();
  }
  // The peer has called, and its connection serves.
  void hang_up(am_rank peer);

  // A call's socket has something. A line: it stands, and the call is over.
  std::optional<line> go(am_rank peer, clock::time_point now);
  // Tries again what is due. Then, for each call that is given up: gone(peer, why).
  template <class Gone>
  void redial(clock::time_point now, Gone&& gone) {
    for (auto at = calls_.begin(); at != calls_.end();) {
      if (!at->second.hopeless) try_again(at->first, at->second, now);
      if (at->second.hopeless) {
        const am_rank peer = at->first;
        const std::string why = reasons(at->second);
        at = calls_.erase(at);
        gone(peer, why);
      } else {
        ++at;
      }
    }
  }
  // When that is due.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  // How an address has failed; none: the rank may be there.
  enum class trouble { none, nobody, hangs_up, unreachable };
  struct place {
    address where;
    std::string why;
    trouble last = trouble::none;
  };
  struct one_call {
    std::vector<place> places;
    std::size_t at = 0;  // which is dialled, or is next
    std::optional<connector> attempt;
    clock::time_point next_try{};  // or, with an attempt, when that is given up
    clock::duration pause{};
    clock::time_point there{};  // when the rank may have been there at last
    bool hopeless = false;
  };

  void try_again(am_rank peer, one_call& call, clock::time_point now);
  void dial(am_rank peer, one_call& call, clock::time_point now);
  void fail(one_call& call, std::string why, trouble what, clock::time_point now);
  [[nodiscard]] static trouble trouble_of(int error) noexcept;
  [[nodiscard]] clock::duration patience_with(const place& one) const noexcept;
  [[nodiscard]] std::string reasons(const one_call& call) const;

  watcher& sockets_;
  const identity& me_;
  const std::chrono::seconds timeout_;
  std::map<am_rank, one_call> calls_;
};

}  // namespace am::detail::tcp
