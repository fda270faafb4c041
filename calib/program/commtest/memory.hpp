// The memory of an experiment: what is sent, where it is received, and what is read to invalidate
// the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace calib {

class swap_memory {
 public:
  // For messages of up to `volume` bytes together.
  explicit swap_memory(std::size_t volume);

  // Writes what `rank` sends in the run of this number, and to where it receives something else.
  void initialise(std::size_t volume, std::uint64_t run, int rank);
  // Reads four times as much as the last cache has.
  void invalidate_caches();

  struct difference {
    std::size_t byte;  // of the volume
    std::uint64_t is;
    std::uint64_t should_be;
  };
  // Where a room has something else than `rank` sent in this run.
  [[nodiscard]] std::optional<difference> find_difference(std::size_t room, std::size_t volume,
                                                          std::uint64_t run, int rank) const;

  [[nodiscard]] const std::byte* out() const {
    return reinterpret_cast<const std::byte*>(out_.data());
  }
  [[nodiscard]] std::byte* in() { return reinterpret_cast<std::byte*>(in_.data()); }
  // From the first to the second of the two places to receive in.
  [[nodiscard]] std::size_t room_bytes() const { return in_.size() / 2 * sizeof in_[0]; }

 private:
  std::vector<std::uint64_t> out_, in_;
  std::vector<std::uint64_t> other_;  // that the caches are filled with; empty until it is needed
};

}  // namespace calib
