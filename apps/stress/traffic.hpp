// The messages of stress, and the accounts that both ends keep of them.
//
// All requests from one rank to another have one sequence of numbers, small, medium and stores
// alike, and must arrive in that order, for which a fence follows every store. Each has a value and
// a check over its place and its content. Those that ask for a reply are numbered once more, and
// the replies must come in that order. Every store asks for one, and the next store to the same
// place waits for it.
#pragma once

#include "peers.hpp"

#include <am/am.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace stress {

// What one rank knows about another.
struct account {
  std::uint64_t sent = 0;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint64_t handled = 0;
  std::uint64_t not_run = 0;  // requests that were returned and certainly have not run
  std::uint64_t unknown = 0;  // requests that were returned and may have run
  bool gone = false;          // dead or lost, where the job goes on without such ranks
  // Places in that rank's memory for this rank's stores, if it sends there: one in a segment, one
  // outside. Each is free when `free_at` requests have been answered.
  struct place {
    std::byte* address;
    std::uint64_t free_at = 0;
  };
  place places[2] = {};
};

class traffic {
 public:
  // Collective.
  traffic(am::endpoint& ep, const options& requested);
  // A rank may be lost as late as in close: handlers then find no accounts.
  ~traffic() { ep_.set_context(nullptr); }
  traffic(const traffic&) = delete;
  traffic& operator=(const traffic&) = delete;

  // Sends one random request to this rank, or none if a try has failed.
  void send_one(am::rank_id to);

  [[nodiscard]] am::rank_id choose_target() { return peers_.choose(random_); }
  [[nodiscard]] bool is_gone(am::rank_id rank) const { return accounts_[rank].gone; }
  [[nodiscard]] const std::vector<account>& accounts() const noexcept { return accounts_; }
  [[nodiscard]] bool all_answered() const;
  [[nodiscard]] std::uint64_t wrong() const noexcept { return wrong_; }

  // For the handlers.
  account& with(am::rank_id rank) { return accounts_[rank]; }
  void complain(am::rank_id source, const char* what, std::uint64_t got, std::uint64_t due);
  [[nodiscard]] am::rank_id rank() const noexcept { return rank_; }

 private:
  void find_places();
  bool store_one(am::rank_id to, std::uint64_t random_bits);

  am::endpoint& ep_;
  am::rank_id rank_;
  peers peers_;
  std::mt19937_64 random_;
  std::vector<account> accounts_;
  std::vector<std::uint64_t> payload_;
  am::segment segment_;
  std::vector<std::byte> other_memory_;
  std::vector<std::uint64_t> stored_;  // the content of stores
  std::uint64_t wrong_ = 0;
};

}  // namespace stress
