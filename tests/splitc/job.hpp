// What the cases of Split-C share: the world of this process, and values of any size.
#pragma once

#include "../support/suite.hpp"

#include <am/splitc.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace splitc_test {

using namespace am::splitc;
using am::rank_id;
using am::word;

inline world* the_world = nullptr;

// A value of any size; it cannot be made without a seed.
template <std::size_t Bytes>
struct block {
  std::array<std::uint8_t, Bytes> bytes;
  explicit block(std::size_t seed) noexcept : bytes() {
    for (std::size_t i = 0; i < Bytes; ++i) bytes[i] = static_cast<std::uint8_t>(seed + 7 * i);
  }
  friend bool operator==(const block&, const block&) noexcept = default;
};

// Calls body.operator()<Bytes>() for sizes around one word, two words and the largest payload.
template <class Body>
void for_sizes(Body&& body) {
  body.template operator()<1>();
  body.template operator()<3>();
  body.template operator()<8>();
  body.template operator()<12>();
  body.template operator()<16>();
  body.template operator()<17>();
  body.template operator()<500>();
  body.template operator()<70000>();
}

}  // namespace splitc_test
