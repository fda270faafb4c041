// libam among several ranks, for the validation of LogP: rank 0 asks as a pattern has it, and gives
// the orders; the others answer, and one that is told to asks, too, until it is told otherwise.
#pragma once

#include <calib/layers/am_handlers.hpp>
#include <calib/program/message.hpp>
#include <calib/program/validation.hpp>

#include <algorithm>
#include <vector>

namespace calib {

// Requests to some ranks in turn.
class am_asker {
 public:
  am_asker(am::endpoint& ep, ledger& here) : ep_(ep), here_(here), answers_(here.crew.answers) {}

  void turn_to(std::vector<am::rank_id> these) {
    peers_ = std::move(these);
    next_ = 0;
  }
  void ask() {
    const message m = numbered(asked_++);
    const am::rank_id to = peers_[next_];
    next_ = next_ + 1 == peers_.size() ? 0 : next_ + 1;
    ep_.request<crew_asked>(to, m.words[0], m.words[1], m.words[2], m.words[3]);
    ++answers_;
  }
  void drain() {
    ep_.wait([this] { return here_.crew.answers == answers_; });
  }
  void ping() {
    ask();
    drain();
  }
  [[nodiscard]] bool intact() const { return here_.crew.sum == sum_of_first(asked_); }

 protected:
  am::endpoint& ep_;
  ledger& here_;

 private:
  std::vector<am::rank_id> peers_;
  std::size_t next_ = 0;
  std::uint64_t asked_ = 0;
  am::word answers_;
};

// Rank 0.
class am_crew : public am_asker {
 public:
  am_crew(am::endpoint& ep, ledger& here, std::uint64_t window)
      : am_asker(ep, here), window_(window) {}

  void form(pattern p, work w) {
    here_.crew.ready = 0;
    for (am::rank_id rank = 1; rank < ep_.ranks(); ++rank)
      ep_.request<told_whom_to_ask>(rank, asked_by(rank, p).value_or(rank),
                                    static_cast<am::word>(w));
    ep_.wait([this] { return here_.crew.ready == ep_.ranks() - 1; });
    std::vector<am::rank_id> peers = {1};
    for (am::rank_id rank = 2; p == pattern::one_to_many && rank < ep_.ranks(); ++rank)
      peers.push_back(rank);
    turn_to(std::move(peers));
  }
  [[nodiscard]] unsigned ranks() const { return ep_.ranks(); }
  [[nodiscard]] std::uint64_t flood_length() const { return steady_length(); }
  [[nodiscard]] std::uint64_t steady_length() const { return 4 * window_; }

 private:
  std::uint64_t window_;
};

// Any other rank, until it is told to leave: whoever is to ask himself asks nobody.
inline void follow(am::endpoint& ep, ledger& here) {
  constexpr unsigned some = 64;
  am_asker mine(ep, here);
  const auto& crew = here.crew;
  am::word heard = 0;
  while (!here.leave) {
    ep.wait([&] { return here.leave || crew.orders != heard; });
    if (here.leave) break;
    heard = crew.orders;
    ep.request<crew_ready>(0);
    if (crew.whom == ep.rank()) continue;
    mine.turn_to({static_cast<am::rank_id>(crew.whom)});
    while (crew.orders == heard) {
      if (crew.how == static_cast<am::word>(work::ping))
        mine.ping();
      else
        for (unsigned i = 0; i < some; ++i) mine.ask();
      ep.poll();
    }
    mine.drain();
  }
  if (!mine.intact()) report::fault("a message was lost or changed among the others");
}

}  // namespace calib
