// limit-copy: how fast bulk data can go from one process to another if nothing more is done than
// must be. A store copies a piece into memory that the reader has mapped, and then sets a flag in a
// line of its own; the reader has seen every flag, and looks at the piece if it is to be touched.
// A get copies a piece out of the other's memory. The best routine at each size counts.
#include <calib/program/copies.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/pair.hpp>

#include <algorithm>
#include <atomic>

namespace {

using namespace calib;

constexpr std::size_t burst_bytes = 256 << 10;
// A sample of more pieces has them so small that a burst is more than one.
constexpr std::uint64_t pieces_for_bursts = bulk{burst_bytes, false}.count();

struct alignas(64) flag {
  std::atomic<std::uint64_t> number;  // of the piece that has come, counted from 1 over all samples
};

struct alignas(4096) flags {
  static constexpr std::uint64_t many = 4096;  // more than pieces in a sample
  flag come[many];
  struct alignas(128) {
    std::atomic<std::uint64_t> number;  // so many has the reader seen
    std::uint64_t tallies;              // of the last sample
  } all;

  [[nodiscard]] flag& of(std::uint64_t piece) noexcept { return come[piece % many]; }
};

class limit_copy {
 public:
  limit_copy(copy_routine* copy, cargo& mine, flags& told, std::byte* shared) noexcept
      : copy_(copy), mine_(mine), told_(told), shared_(shared) {}

  // A reader right behind the writer pulls lines out of its hands: so many bytes must have come
  // before it turns to them.
  void set_reach(std::size_t bytes) noexcept { reach_ = bytes; }

  void set(const bulk& what) noexcept { what_ = what; }
  cargo& memory() noexcept { return mine_; }

  void store(std::uint64_t n) noexcept {
    copy_(there(n), mine_.piece(what_, n), what_.bytes);
    ++pieces_;
    told_.of(pieces_).number.store(pieces_, std::memory_order_release);
  }
  std::uint64_t settle_stores() noexcept {
    while (told_.all.number.load(std::memory_order_acquire) != pieces_) relax();
    return told_.all.tallies;
  }
  void serve_stores() noexcept {
    const std::uint64_t burst = std::clamp<std::uint64_t>(reach_ / what_.bytes, 1, what_.count());
    std::uint64_t tallies = 0;
    for (std::uint64_t n = 0; n < what_.count(); n += burst) {
      for (std::uint64_t k = burst; k > 0; --k) await(pieces_ + k);
      for (std::uint64_t k = 0; k < burst; ++k) tallies += tally(what_, there(n + k));
      pieces_ += burst;
    }
    told_.all.tallies = tallies;
    told_.all.number.store(pieces_, std::memory_order_release);
  }

  void get(std::uint64_t n) noexcept {
    copy_(mine_.piece(what_, n), there(n), what_.bytes);
    tallies_ += tally(what_, mine_.piece(what_, n));
  }
  std::uint64_t settle_gets() noexcept {
    const std::uint64_t tallies = tallies_;
    tallies_ = 0;
    return tallies;
  }

 private:
  [[nodiscard]] std::byte* there(std::uint64_t n) const noexcept {
    return shared_ + n * what_.bytes;
  }
  void await(std::uint64_t piece) const noexcept {
    while (told_.of(piece).number.load(std::memory_order_acquire) != piece) relax();
  }

  copy_routine* copy_;
  std::size_t reach_ = 0;
  cargo& mine_;
  flags& told_;
  std::byte* shared_;
  bulk what_{};
  std::uint64_t pieces_ = 0;
  std::uint64_t tallies_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const std::size_t room = room_for(from.bytes);
  if (room == 0) report::fault("measures bulk data alone: --bytes");
  const std::vector<copy_way> ways = ways_to_copy();
  const std::size_t all_flags = ways.size() * sizeof(flags);
  const auto play_it = [&](side mine, std::byte* memory) {
    auto* told = reinterpret_cast<flags*>(memory);
    cargo own(mine == side::asking ? room : line_bytes);
    script play(mine, from);
    std::vector<limit_copy> layers;
    for (const copy_way& way : ways) layers.emplace_back(way.run, own, *told++, memory + all_flags);
    for (std::size_t i = 0; i < ways.size(); ++i) play.get_bulk(layers[i], ways[i].name);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::string name = ways[i].name;
      play.store_bulk(layers[i], name);
      layers[i].set_reach(burst_bytes);
      play.store_bulk(layers[i], name + ",bursts", pieces_for_bursts);
    }
  };
  as_pair(all_flags + room, play_it,
          [&](std::byte* memory) { number_lines(memory + all_flags, room); });
}
