// limit-ring: how fast one process can hand 64-byte slots to another. A ring each way; the number
// in a slot's own line says which message it holds, so a message costs one line transfer. The
// reader sums the words. No endpoint, no credits, no handlers.
//
// Several shapes are tried: how many slots the writer asks for ahead of its writing, for how many
// full slots the reader waits (a reader right behind the writer pulls every line over singly), and
// whether it writes to each slot that it has read, so that its line is the reader's alone when the
// writer comes back to it.
#include <calib/program/cpu.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

#include <algorithm>
#include <atomic>

namespace {

using namespace calib;

struct alignas(64) slot {
  std::atomic<std::uint64_t> number;  // of the message it holds, counted from 1
  std::uint64_t words[4];
  std::uint64_t readers;
};

template <std::uint64_t Slots>
struct ring {
  slot slots[Slots];
  alignas(128) std::atomic<std::uint64_t> taken;  // by the reader, told now and then
  char rest[128 - sizeof taken];
};

template <std::uint64_t Slots, unsigned Ahead>
class writer {
 public:
  explicit writer(ring<Slots>& to) noexcept : ring_(to) {}

  void put(const message& m) noexcept {
    while (sent_ - taken_ >= Slots) taken_ = ring_.taken.load(std::memory_order_acquire);
    if constexpr (Ahead > 0) prefetch_for_write(&ring_.slots[(sent_ + Ahead) % Slots]);
    slot& at = ring_.slots[sent_ % Slots];
    for (int i = 0; i < 4; ++i) at.words[i] = m.words[i];
    at.number.store(++sent_, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

 private:
  ring<Slots>& ring_;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
};

template <std::uint64_t Slots>
class reader {
 public:
  explicit reader(ring<Slots>& from) noexcept : ring_(from) {}

  // The next message as soon as it is there.
  message take() noexcept {
    while (!full(taken_)) relax();
    const slot& at = ring_.slots[taken_ % Slots];
    const message m{{at.words[0], at.words[1], at.words[2], at.words[3]}};
    tell(++taken_);
    return m;
  }
  // Writes to the slot that was taken last, when nobody waits for this side any more.
  void own_last() noexcept { ring_.slots[(taken_ - 1) % Slots].readers = 1; }

  // Sums the next `count`; waits `Looks` looks at most for `Burst` slots to fill.
  template <unsigned Burst, unsigned Looks, bool Owns>
  std::uint64_t sum_of(std::uint64_t count) noexcept {
    std::uint64_t total = 0;
    const std::uint64_t end = taken_ + count;
    while (taken_ != end) {
      if constexpr (Burst > 0) {
        const std::uint64_t far = std::min(taken_ + Burst, end) - 1;
        for (unsigned look = 0; look < Looks && !full(far); ++look) {
        }
      }
      while (taken_ != end && full(taken_)) {
        slot& at = ring_.slots[taken_ % Slots];
        total += at.words[0] + at.words[1] + at.words[2] + at.words[3];
        if constexpr (Owns) at.readers = 1;
        tell(++taken_);
      }
    }
    return total;
  }

 private:
  [[nodiscard]] bool full(std::uint64_t n) const noexcept {
    return ring_.slots[n % Slots].number.load(std::memory_order_acquire) == n + 1;
  }
  void tell(std::uint64_t taken) noexcept {
    if (taken % (Slots / 4) == 0) ring_.taken.store(taken, std::memory_order_release);
  }

  ring<Slots>& ring_;
  std::uint64_t taken_ = 0;
};

template <std::uint64_t Slots>
struct both_ways {
  ring<Slots> out;
  ring<Slots> back;
};

template <std::uint64_t Slots, unsigned Ahead, unsigned Burst, unsigned Looks, bool Owns>
class limit_ring {
 public:
  explicit limit_ring(both_ways<Slots>& memory) noexcept
      : requests_(memory.out), incoming_(memory.out), answers_(memory.back), back_(memory.back) {}

  void post() noexcept { requests_.put(numbered(requests_.sent())); }
  void ping() noexcept {
    post();
    answer_ = back_.take();
    if constexpr (Owns) back_.own_last();
  }
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return 50 * Slots; }
  [[nodiscard]] bool intact() const noexcept {
    return answer_.words[0] == sum_of_first(requests_.sent());
  }

  void serve_posts(std::uint64_t count) noexcept {
    total_ += incoming_.template sum_of<Burst, Looks, Owns>(count);
  }
  void serve_pings(std::uint64_t count) noexcept {
    for (; count > 0; --count) {
      total_ += sum(incoming_.take());
      answers_.put({{total_, 0, 0, 0}});
      if constexpr (Owns) incoming_.own_last();
    }
  }

 private:
  writer<Slots, Ahead> requests_;
  reader<Slots> incoming_;
  writer<Slots, Ahead> answers_;
  reader<Slots> back_;
  std::uint64_t total_ = 0;
  message answer_{};
};

// Puts a ring of that shape into fresh memory and plays it.
template <std::uint64_t Slots, unsigned Ahead, unsigned Burst, unsigned Looks, bool Owns = false>
void try_shape(script& play, std::byte*& memory, const char* name, bool floods) {
  limit_ring<Slots, Ahead, Burst, Looks, Owns> layer(*reinterpret_cast<both_ways<Slots>*>(memory));
  memory += sizeof(both_ways<Slots>);
  play.rtt(layer, name);
  if (floods) play.flood(layer, name);
}

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  as_pair(
      4 * sizeof(both_ways<4096>) + 2 * sizeof(both_ways<64>), [&](side mine, std::byte* memory) {
        script play(mine, from);
        try_shape<4096, 16, 0, 0>(play, memory, "4096,16-ahead", true);
        try_shape<4096, 16, 64, 200>(play, memory, "4096,16-ahead,bursts-of-64", true);
        try_shape<4096, 0, 64, 200>(play, memory, "4096,bursts-of-64", true);
        try_shape<4096, 16, 64, 200, true>(play, memory, "4096,16-ahead,bursts-of-64,owned", true);
        try_shape<64, 8, 0, 0>(play, memory, "64,8-ahead", false);
        try_shape<64, 0, 0, 0, true>(play, memory, "64,owned", false);
      });
}
