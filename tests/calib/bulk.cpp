// What the layers share to move bulk data: pieces, tallies, and ways to copy.
#include <calib/program/bulk.hpp>
#include <calib/program/copies.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

using calib::bulk;
using calib::cargo;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// Moves pieces by memcpy, and forgets one if it is told to.
class pretender {
 public:
  explicit pretender(std::size_t room) : mine_(room), there_(room) {
    calib::number_lines(there_.data(), room);
  }
  void set(const bulk& what) { what_ = what; }
  cargo& memory() { return mine_; }
  void store(std::uint64_t n) {
    if (n != forgets) std::memcpy(there(n), mine_.piece(what_, n), what_.bytes);
    tallies_ += calib::tally(what_, there(n));
  }
  std::uint64_t settle_stores() { return std::exchange(tallies_, 0); }
  void get(std::uint64_t n) {
    if (n != forgets) std::memcpy(mine_.piece(what_, n), there(n), what_.bytes);
    tallies_ += calib::tally(what_, mine_.piece(what_, n));
  }
  std::uint64_t settle_gets() { return std::exchange(tallies_, 0); }

  std::uint64_t forgets = ~std::uint64_t{0};

 private:
  std::byte* there(std::uint64_t n) { return there_.data() + n * what_.bytes; }

  bulk what_{};
  cargo mine_;
  std::vector<std::byte> there_;
  std::uint64_t tallies_ = 0;
};

}  // namespace

TEST_CASE("pieces fill 8 MiB, or there are two of them") {
  CHECK(bulk{4096, false}.count() == 2048);
  CHECK(bulk{4 * mib, false}.count() == 2);
  CHECK(bulk{64 * mib, true}.count() == 2);
  CHECK(bulk{64 * mib, true}.room() == 128 * mib);
  CHECK(calib::room_for({4096, 16 * mib, 65536}) == 32 * mib);
  CHECK(calib::room_for({}) == 0);
  CHECK(bulk{4096, true}.name("store") == "store/4096/touched");
}

TEST_CASE("what comes adds up to what was expected, a piece that does not come is missed") {
  pretender layer(8 * mib);
  for (const std::size_t bytes : {std::size_t{4096}, mib})
    for (const bool touched : {false, true}) {
      const bulk what{bytes, touched};
      const auto store_all = [&] {
        for (std::uint64_t n = 0; n < what.count(); ++n) layer.store(n);
        return layer.settle_stores();
      };
      const auto get_all = [&] {
        for (std::uint64_t n = 0; n < what.count(); ++n) layer.get(n);
        return layer.settle_gets();
      };
      layer.set(what);
      for (std::uint64_t sample = 0; sample < 3; ++sample) {
        layer.memory().stamp(what, sample);
        CHECK(store_all() == cargo::expected_store(what, sample));
      }
      layer.memory().stamp(what, 0);
      store_all();
      layer.memory().wipe(what);
      CHECK(get_all() == cargo::expected_get(what));

      layer.forgets = what.count() - 1;
      layer.memory().stamp(what, 3);
      CHECK((store_all() == cargo::expected_store(what, 3)) == !touched);
      layer.memory().wipe(what);
      CHECK((get_all() == cargo::expected_get(what)) == !touched);
      layer.forgets = ~std::uint64_t{0};
      layer.memory().stamp(what, 0);
    }
}

TEST_CASE("every way to copy copies, all of it and nothing else") {
  constexpr std::size_t room = 3 * 65536;
  const cargo memory(room);
  std::byte* const from = memory.piece({65536, false}, 0);
  std::byte* const to = memory.piece({65536, false}, 1);
  for (const calib::copy_way& way : calib::ways_to_copy())
    for (const std::size_t bytes : {256, 4096, 65536 - 256}) {
      CAPTURE(way.name);
      CAPTURE(bytes);
      for (std::size_t i = 0; i < 65536; ++i) from[i] = static_cast<std::byte>(i * 31 + bytes);
      std::memset(to, 0xee, 2 * 65536);
      way.run(to, from, bytes);
      CHECK(std::memcmp(to, from, bytes) == 0);
      CHECK(to[bytes] == std::byte{0xee});
    }
}
