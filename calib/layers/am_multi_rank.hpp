// libam among several ranks. Rank 0 sends requests by a pattern and gives the orders; the others
// reply and, if ordered to, send requests until the next order.
#pragma once

#include <calib/layers/am_handlers.hpp>
#include <calib/program/message.hpp>
#include <calib/program/multi_rank_probe.hpp>

#include <algorithm>
#include <vector>

namespace calib {

// Sends requests to several ranks in turn.
class am_requester {
 public:
  am_requester(am::endpoint& ep, handler_state& state)
      : ep_(ep), state_(state), replies_(state.multi_rank.replies) {}

  void set_peers(std::vector<am::rank_id> these) {
    peers_ = std::move(these);
    next_ = 0;
  }
  void request() {
    const message m = make_message(requested_++);
    const am::rank_id to = peers_[next_];
    next_ = next_ + 1 == peers_.size() ? 0 : next_ + 1;
    ep_.request<on_multi_rank_request>(to, m.words[0], m.words[1], m.words[2], m.words[3]);
    ++replies_;
  }
  void drain() {
    ep_.wait([this] { return state_.multi_rank.replies == replies_; });
  }
  void ping() {
    request();
    drain();
  }
  [[nodiscard]] bool intact() const { return state_.multi_rank.sum == sum_of_first(requested_); }

 protected:
  am::endpoint& ep_;
  handler_state& state_;

 private:
  std::vector<am::rank_id> peers_;
  std::size_t next_ = 0;
  std::uint64_t requested_ = 0;
  am::word replies_;
};

// Rank 0.
class am_multi_rank : public am_requester {
 public:
  am_multi_rank(am::endpoint& ep, handler_state& state, std::uint64_t window)
      : am_requester(ep, state), window_(window) {}

  void set_pattern(pattern p, traffic load) {
    state_.multi_rank.ready = 0;
    for (am::rank_id rank = 1; rank < ep_.ranks(); ++rank)
      ep_.request<on_traffic_order>(rank, target_of(rank, p).value_or(rank),
                                    static_cast<am::word>(load));
    ep_.wait([this] { return state_.multi_rank.ready == ep_.ranks() - 1; });
    std::vector<am::rank_id> peers = {1};
    for (am::rank_id rank = 2; p == pattern::one_to_many && rank < ep_.ranks(); ++rank)
      peers.push_back(rank);
    set_peers(std::move(peers));
  }
  [[nodiscard]] unsigned ranks() const { return ep_.ranks(); }
  [[nodiscard]] std::uint64_t flood_length() const { return steady_length(); }
  [[nodiscard]] std::uint64_t steady_length() const { return 4 * window_; }

 private:
  std::uint64_t window_;
};

// Any other rank, until `on_leave`. A rank whose target is itself sends no requests.
inline void run_multi_rank_peer(am::endpoint& ep, handler_state& state) {
  constexpr unsigned requests_per_poll = 64;
  am_requester mine(ep, state);
  const auto& multi_rank = state.multi_rank;
  am::word orders_done = 0;
  while (!state.leave) {
    ep.wait([&] { return state.leave || multi_rank.orders != orders_done; });
    if (state.leave) break;
    orders_done = multi_rank.orders;
    ep.request<on_traffic_ready>(0);
    if (multi_rank.target == ep.rank()) continue;
    mine.set_peers({static_cast<am::rank_id>(multi_rank.target)});
    while (multi_rank.orders == orders_done) {
      if (multi_rank.load == static_cast<am::word>(traffic::ping))
        mine.ping();
      else
        for (unsigned i = 0; i < requests_per_poll; ++i) mine.request();
      ep.poll();
    }
    mine.drain();
  }
  if (!mine.intact()) report::fault("a message was lost or changed among the others");
}

}  // namespace calib
