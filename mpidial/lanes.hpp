// The lanes to and from a process. Each makes the memory of those that lead to it, and maps those
// of all others when MPI has started, by their places in /proc. So all are on one host, whose clock
// they share.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <mpidial/lane.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace am::detail::mpidial {

// The memory of a process, as the others find it.
struct lanes_place {
  std::uint64_t boot;           // which start of which host
  std::uint64_t pid_namespace;  // in which that is its pid
  std::int32_t pid;
  std::int32_t descriptor;  // -1: it has no lanes
};

class lanes {
 public:
  // Null in `problem`: done. Else one line.
  [[nodiscard]] lanes_place make(int size, std::string& problem);
  void open(const std::vector<lanes_place>& all, int rank, std::string& problem);

  [[nodiscard]] lane_reader from(int rank) const noexcept {
    return lane_reader(lane_of(own_, rank));
  }
  // Adds an entry to the lane to `rank`. False: it is full.
  bool add(int rank, entry_kind kind, const stamp& of);

 private:
  struct lane_to {
    base::shared_memory memory;
    lane_writer writer;
  };

  [[nodiscard]] static lane_memory* lane_of(const base::shared_memory& memory, int from) noexcept {
    return reinterpret_cast<lane_memory*>(memory.data()) + from;
  }
  void reserve(lane_to& to, std::size_t entry);

  int rank_ = 0;
  base::shared_memory own_;
  std::vector<lane_to> to_;
};

}  // namespace am::detail::mpidial
