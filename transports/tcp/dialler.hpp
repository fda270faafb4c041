// Connections that this rank is making: to each address of a peer in turn, again after a while, and
// sooner or later to the one who proves to be that peer.
#pragma once

#include <transports/tcp/address.hpp>
#include <transports/tcp/handshake.hpp>
#include <transports/tcp/watcher.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::tcp {

class dialler {
 public:
  using clock = std::chrono::steady_clock;

  dialler(watcher& sockets, const identity& me) noexcept : sockets_(sockets), me_(me) {}

  void call(am_rank peer, std::vector<address> addresses, clock::time_point now);
  [[nodiscard]] bool is_calling(am_rank peer) const { return calls_.contains(peer); }
  // The peer has called, and its connection serves.
  void hang_up(am_rank peer);

  // A call's socket has something. A line: it stands, and the call is over.
  std::optional<line> go(am_rank peer, clock::time_point now);
  // Tries again what is due. Then, for each call that is given up: gone(peer, why).
  template <class Gone>
  void redial(clock::time_point now, Gone&& gone) {
    for (auto at = calls_.begin(); at != calls_.end();) {
      try_again(at->first, at->second, now);
      if (at->second.hopeless) {
        const am_rank peer = at->first;
        const std::string why = std::move(at->second.why);
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
  struct one_call {
    std::vector<address> addresses;
    std::size_t next_address = 0;
    std::optional<connector> attempt;
    clock::time_point next_try{};  // or, with an attempt, when that is given up
    clock::duration pause{};
    clock::time_point nobody_since{};  // the rank does not listen there; the epoch: it may
    bool hopeless = false;
    std::string why;
  };

  void try_again(am_rank peer, one_call& call, clock::time_point now);
  void dial(am_rank peer, one_call& call, clock::time_point now);
  void fail(one_call& call, std::string why, bool nobody, clock::time_point now);

  watcher& sockets_;
  const identity& me_;
  std::map<am_rank, one_call> calls_;
};

}  // namespace am::detail::tcp
