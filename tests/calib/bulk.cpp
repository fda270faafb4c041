// The shared parts of bulk data: pieces, checksums, and methods to copy.
#include <calib/program/bulk.hpp>
#include <calib/program/copy_methods.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

using calib::bulk_buffer;
using calib::bulk_spec;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// Moves pieces by memcpy, and drops piece number `dropped`.
class simulated_layer {
 public:
  explicit simulated_layer(std::size_t memory_bytes) : mine_(memory_bytes), there_(memory_bytes) {
    calib::number_lines(there_.data(), memory_bytes);
  }
  void set(const bulk_spec& what) { what_ = what; }
  bulk_buffer& memory() { return mine_; }
  void store(std::uint64_t n) {
    if (n != dropped) std::memcpy(there(n), mine_.piece(what_, n), what_.bytes);
    checksum_ += calib::piece_checksum(what_, there(n));
  }
  std::uint64_t wait_for_stores() { return std::exchange(checksum_, 0); }
  void get(std::uint64_t n) {
    if (n != dropped) std::memcpy(mine_.piece(what_, n), there(n), what_.bytes);
    checksum_ += calib::piece_checksum(what_, mine_.piece(what_, n));
  }
  std::uint64_t wait_for_gets() { return std::exchange(checksum_, 0); }

  std::uint64_t dropped = ~std::uint64_t{0};

 private:
  std::byte* there(std::uint64_t n) { return there_.data() + n * what_.bytes; }

  bulk_spec what_{};
  bulk_buffer mine_;
  std::vector<std::byte> there_;
  std::uint64_t checksum_ = 0;
};

}  // namespace

TEST_CASE("pieces fill 8 MiB, or there are two of them") {
  CHECK(bulk_spec{4096, false}.count() == 2048);
  CHECK(bulk_spec{4 * mib, false}.count() == 2);
  CHECK(bulk_spec{64 * mib, true}.count() == 2);
  CHECK(bulk_spec{64 * mib, true}.memory_bytes() == 128 * mib);
  CHECK(calib::bulk_memory_for({4096, 16 * mib, 65536}) == 32 * mib);
  CHECK(calib::bulk_memory_for({}) == 0);
  CHECK(bulk_spec{4096, true}.name("store") == "store/4096/touched");
}

TEST_CASE("the checksums match the expected ones, and a dropped piece is detected") {
  simulated_layer layer(8 * mib);
  for (const std::size_t bytes : {std::size_t{4096}, mib})
    for (const bool touched : {false, true}) {
      const bulk_spec what{bytes, touched};
      const auto store_all = [&] {
        for (std::uint64_t n = 0; n < what.count(); ++n) layer.store(n);
        return layer.wait_for_stores();
      };
      const auto get_all = [&] {
        for (std::uint64_t n = 0; n < what.count(); ++n) layer.get(n);
        return layer.wait_for_gets();
      };
      layer.set(what);
      for (std::uint64_t sample = 0; sample < 3; ++sample) {
        layer.memory().stamp(what, sample);
        CHECK(store_all() == bulk_buffer::expected_store(what, sample));
      }
      layer.memory().stamp(what, 0);
      store_all();
      layer.memory().invalidate(what);
      CHECK(get_all() == bulk_buffer::expected_get(what));

      layer.dropped = what.count() - 1;
      layer.memory().stamp(what, 3);
      CHECK((store_all() == bulk_buffer::expected_store(what, 3)) == !touched);
      layer.memory().invalidate(what);
      CHECK((get_all() == bulk_buffer::expected_get(what)) == !touched);
      layer.dropped = ~std::uint64_t{0};
      layer.memory().stamp(what, 0);
    }
}

TEST_CASE("every method copies all bytes and no others") {
  constexpr std::size_t memory_bytes = 3 * 65536;
  const bulk_buffer memory(memory_bytes);
  std::byte* const from = memory.piece({65536, false}, 0);
  std::byte* const to = memory.piece({65536, false}, 1);
  for (const calib::copy_method& method : calib::copy_methods())
    for (const std::size_t bytes : {256, 4096, 65536 - 256}) {
      CAPTURE(method.name);
      CAPTURE(bytes);
      for (std::size_t i = 0; i < 65536; ++i) from[i] = static_cast<std::byte>(i * 31 + bytes);
      std::memset(to, 0xee, 2 * 65536);
      method.run(to, from, bytes);
      CHECK(std::memcmp(to, from, bytes) == 0);
      CHECK(to[bytes] == std::byte{0xee});
    }
}
