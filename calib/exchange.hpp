// What LogGP is held against: 64 pieces of data that go and come mixed, of sizes that it was not
// fitted to. The same for whoever moves them and whoever predicts how long that takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace calib {

// What can be done with a piece of data: stored over there, got from there, or sent with a request.
enum class operation { store, get, medium };

constexpr const char* name_of(operation what) {
  return what == operation::store ? "store" : what == operation::get ? "get" : "medium";
}

struct exchanged {
  operation what;
  std::size_t bytes;
};
inline constexpr std::size_t exchange_length = 64;

// In an order that has no pattern and is always the same. The last is sent, so that the answer to
// it is behind everything.
constexpr std::array<exchanged, exchange_length> exchange() {
  constexpr std::array<std::size_t, 11> sizes = {100,   200,   700,   1500,   3000,  7000,
                                                 12000, 20000, 40000, 100000, 200000};
  constexpr std::size_t sendable = 7;  // so many of them fit a request
  constexpr operation turns[] = {operation::store, operation::get, operation::medium};
  std::array<exchanged, exchange_length> out{};
  std::uint64_t random = 1;
  for (std::size_t i = 0; i < exchange_length; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth's
    const operation what = i + 1 == exchange_length ? operation::medium : turns[i % 3];
    const std::size_t among = what == operation::medium ? sendable : sizes.size();
    out[i] = {what, sizes[(random >> 33U) % among]};
  }
  return out;
}

}  // namespace calib
