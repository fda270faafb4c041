// The exchange by which LogGP is checked: 64 pieces of data in both directions, of sizes that it
// was not fitted to. Shared by the layer that moves them and the driver that predicts their time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace calib {

enum class operation { store, get, medium };

constexpr const char* name_of(operation what) {
  return what == operation::store ? "store" : what == operation::get ? "get" : "medium";
}

struct exchange_piece {
  operation what;
  std::size_t bytes;
};
inline constexpr std::size_t exchange_length = 64;

// A fixed pseudo-random sequence. The last piece is a request, so that its reply follows all
// pieces.
constexpr std::array<exchange_piece, exchange_length> exchange() {
  constexpr std::array<std::size_t, 11> sizes = {100,   200,   700,   1500,   3000,  7000,
                                                 12000, 20000, 40000, 100000, 200000};
  constexpr std::size_t medium_choices = 7;  // the sizes that fit a request
  constexpr operation kinds[] = {operation::store, operation::get, operation::medium};
  std::array<exchange_piece, exchange_length> out{};
  std::uint64_t random = 1;
  for (std::size_t i = 0; i < exchange_length; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth's
    const operation what = i + 1 == exchange_length ? operation::medium : kinds[i % 3];
    const std::size_t choices = what == operation::medium ? medium_choices : sizes.size();
    out[i] = {what, sizes[(random >> 33U) % choices]};
  }
  return out;
}

// The bytes of all pieces of a kind.
constexpr std::size_t exchanged_bytes(operation what) {
  std::size_t out = 0;
  for (const exchange_piece& piece : exchange()) out += piece.what == what ? piece.bytes : 0;
  return out;
}

}  // namespace calib
