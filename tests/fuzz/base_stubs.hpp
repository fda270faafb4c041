// In these programs the fuzzer replaces a few parts of libam/base: an address that a neighbour
// names is accessed only if it lies in the arena, no other process is accessed, and log lines are
// kept.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace am_test::fuzz {

// Memory of this process that messages may name, between inaccessible pages.
class arena {
 public:
  explicit arena(std::size_t bytes);
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* whole_;
  std::byte* data_;
  std::size_t bytes_;
};

// The arena that messages may name; null: none.
void set_reachable_arena(const arena* there) noexcept;

// The log lines since the last call.
std::vector<std::string> take_log_lines();

// Runs at each barrier.
extern std::function<void()> at_barrier;

}  // namespace am_test::fuzz
