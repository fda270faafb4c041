// What the messages of a collective call add to it, by a model, since those of MPI's own are not
// seen: how many messages follow each other on the longest path, and their bytes.
//
//   tree      the messages are rounds of a binomial tree: each waits for the one before
//   exchange  one message to every other process: all are under way at once
//
// A round costs o_s + L + o_r, or g where that is more; the messages of an exchange o_s + o_r each,
// or g, and L once. Bytes cost G each, where a message has more than the threshold.
#pragma once

#include <libam/base/dials.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace am::detail::mpidial {

enum class collective_shape { tree, exchange };

struct collective_load {
  collective_shape shape;
  int processes;
  std::size_t bytes;  // of all messages of the longest path
};

// In nanoseconds.
inline double added_time(const base::dials& by, const collective_load& of) noexcept {
  if (of.processes < 2) return 0;
  const auto others = static_cast<unsigned>(of.processes - 1);
  const unsigned messages =
      of.shape == collective_shape::tree ? static_cast<unsigned>(std::bit_width(others)) : others;
  const double gap = std::max(by.g_s, by.g_r);
  const double times = messages;
  const double bytes =
      of.bytes > std::size_t{messages} * by.threshold ? by.G * static_cast<double>(of.bytes) : 0;
  if (of.shape == collective_shape::tree)
    return times * std::max(by.o_s + by.L + by.o_r, gap) + bytes;
  return times * std::max(by.o_s + by.o_r, gap) + by.L + bytes;
}

// How many rounds a tree of so many processes has.
inline std::size_t tree_rounds(int processes) noexcept {
  return processes < 2 ? 0 : std::bit_width(static_cast<unsigned>(processes - 1));
}

}  // namespace am::detail::mpidial
