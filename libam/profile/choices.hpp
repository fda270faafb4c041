// What follows from a profile: pure functions, and the answers that rank 0 gives to all ranks.
// Answers that nothing was asked for are the defaults.
#pragma once

#include <libam/profile/figures.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace am::detail::profile {

// The sizes of a broadcast for which a question is answered; one in between is answered as the
// next larger. Larger data keeps the tree.
inline constexpr std::array<std::size_t, 6> broadcast_sizes{16, 64, 256, 1024, 4096, 16384};

// Small numbers alone, without a hole: they travel between ranks, and a rank that has left keeps
// them.
struct answers {
  // By broadcast_sizes: in teams of at most so many ranks the root sends to each rank itself; 0:
  // never, the team's tree is better.
  std::array<std::uint8_t, broadcast_sizes.size()> flat_ranks{};
  // For how many us a rank spins before it sleeps, after a wait of some length; 0: the default.
  std::uint8_t spin_us = 0;
  // In teams of at most so many ranks a barrier is one message from each rank to each other; 0: in
  // none, it goes in rounds.
  std::uint8_t direct_barrier_ranks = 0;

  [[nodiscard]] std::uint8_t flat_ranks_of(std::size_t bytes) const noexcept {
    for (std::size_t i = 0; i < broadcast_sizes.size(); ++i)
      if (bytes <= broadcast_sizes[i]) return flat_ranks[i];
    return 0;
  }
  bool operator==(const answers&) const = default;
};

// One message of a broadcast: how long it holds up the sender's next, and how long until its
// receiver may send.
struct hop {
  double send;
  double arrive;
};
// Of the smallest measured size that is not less. Nothing: none is.
std::optional<hop> hop_of(const figures& costs, std::size_t bytes);

// From the call until the last of `ranks` has the data.
double flat_time(const hop& one, unsigned ranks);
double tree_time(const hop& one, unsigned ranks);  // the tree of am/detail/team_tree.hpp

// Another shape is chosen where it takes at most this part of the usual one's time: figures are
// within 5 %.
inline constexpr double worth_a_change = 0.9;
// Teams of eight were slower as often as faster (docs/calibration.md).
inline constexpr unsigned most_flat_ranks = 7;
// The largest team for which the root should send to each rank itself, or 0. In teams of three the
// two shapes differ for one root alone, so four ranks decide.
unsigned flat_ranks(const hop& one);

// A rank of a direct barrier receives as many messages as it sends, by the same processor.
struct barrier_hop : hop {
  double busy;  // for a message that it sends and one that it receives
};
// Nothing: the receiver's part is not known.
std::optional<barrier_hop> barrier_hop_of(const figures& costs);
double direct_barrier_time(const barrier_hop& one, unsigned ranks);
double barrier_in_rounds_time(const hop& one, unsigned ranks);
// The largest team for which a barrier should be direct, or 0. In teams of two both are the same.
unsigned direct_barrier_ranks(const figures& costs);

// A rank that spins for as long as a wake-up takes loses at most twice what the better of spinning
// and sleeping would have cost. What takes less is no wake-up.
inline constexpr double least_spin_us = 5;
inline constexpr double most_spin_us = 200;
unsigned spin_us(const figures& costs);

answers choose(const figures& costs);

}  // namespace am::detail::profile
