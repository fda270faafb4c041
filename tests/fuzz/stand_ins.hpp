// In these programs a few things of libam/base are the fuzzer's: no address that a neighbour names
// is touched unless it lies in memory that is there for it, no other process is, and what libam
// says is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace am_test::fuzz {

// Memory of this process that messages may name: pages with nothing before and behind them.
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

// What messages may name; null: nothing.
void may_be_named(const arena* there) noexcept;

// What libam has said since this was last asked.
std::vector<std::string> said();

// What happens at each barrier.
extern std::function<void()> at_barrier;

}  // namespace am_test::fuzz
