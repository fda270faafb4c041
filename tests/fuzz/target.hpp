// A fuzz target is a name and a function that takes any bytes: it returns, or a promise is broken.
// One program has all targets and, beside replay.cpp or libfuzzer.cpp, nothing else: a target for
// another structure is one more file with a FUZZ_TARGET.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace am_test::fuzz {

using bytes_in = std::span<const std::uint8_t>;
using target_fn = void(bytes_in input);

struct target {
  const char* name;
  target_fn* run;
};
std::span<const target> all_targets();
bool add_target(const char* name, target_fn* run);
// Null: there is none.
const target* find_target(std::string_view name);

// Reports what and where, and ends the process in a way that a fuzzer counts as a finding.
[[noreturn]] void promise_broken(const char* what, const char* file, int line);

// The bytes of an input, taken one by one; zeros after the end.
class input_reader {
 public:
  explicit input_reader(bytes_in rest) noexcept : rest_(rest) {}
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  std::uint8_t byte() noexcept {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  std::uint32_t number() noexcept {  // 32 bits, the low byte first
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(byte()) << (8 * i);
    return value;
  }
  std::uint64_t long_number() noexcept {
    const std::uint64_t low = number();
    return low | static_cast<std::uint64_t>(number()) << 32;
  }
  std::string_view text(std::size_t most) noexcept {
    const auto part = rest_.first(most < rest_.size() ? most : rest_.size());
    rest_ = rest_.subspan(part.size());
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

 private:
  bytes_in rest_;
};

}  // namespace am_test::fuzz

#define AM_FUZZ_TARGET(name)                              \
  static void fuzz_##name(am_test::fuzz::bytes_in input); \
  [[maybe_unused]] static const bool added_##name =       \
      am_test::fuzz::add_target(#name, &fuzz_##name);     \
  static void fuzz_##name(am_test::fuzz::bytes_in input)

#define AM_PROMISE(...)                                                                  \
  do {                                                                                   \
    if (!(__VA_ARGS__)) am_test::fuzz::promise_broken(#__VA_ARGS__, __FILE__, __LINE__); \
  } while (false)
