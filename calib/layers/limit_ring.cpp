// limit-ring: the highest rate of 64-byte slots from one process to another. A ring in each
// direction; a slot is one cache line and contains the number of its message, so a message costs
// one line transfer. The reader sums the words. No endpoint, no credits, no handlers.
//
// The variants differ in the number of slots that the writer prefetches, in the number of full
// slots for which the reader waits (a reader that follows closely transfers every line singly), and
// in whether the reader writes to each slot that it has read, so that it owns the line exclusively
// when the writer returns to it.
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
  std::uint64_t reader_mark;
};

template <std::uint64_t Slots>
struct ring {
  slot slots[Slots];
  alignas(128)
      std::atomic<std::uint64_t> consumed;  // by the reader, published every quarter of the ring
  char rest[128 - sizeof consumed];
};

template <std::uint64_t Slots, unsigned Ahead>
class writer {
 public:
  explicit writer(ring<Slots>& to) noexcept : ring_(to) {}

  void put(const message& m) noexcept {
    while (sent_ - consumed_ >= Slots) consumed_ = ring_.consumed.load(std::memory_order_acquire);
    if constexpr (Ahead > 0) prefetch_for_write(&ring_.slots[(sent_ + Ahead) % Slots]);
    slot& at = ring_.slots[sent_ % Slots];
    for (int i = 0; i < 4; ++i) at.words[i] = m.words[i];
    at.number.store(++sent_, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

 private:
  ring<Slots>& ring_;
  std::uint64_t sent_ = 0;
  std::uint64_t consumed_ = 0;
};

template <std::uint64_t Slots>
class reader {
 public:
  explicit reader(ring<Slots>& from) noexcept : ring_(from) {}

  // Waits for the next message.
  message receive() noexcept {
    while (!full(consumed_)) relax();
    const slot& at = ring_.slots[consumed_ % Slots];
    const message m{{at.words[0], at.words[1], at.words[2], at.words[3]}};
    publish(++consumed_);
    return m;
  }
  // Writes to the last slot, outside the path that the peer waits for.
  void write_back_last() noexcept { ring_.slots[(consumed_ - 1) % Slots].reader_mark = 1; }

  // Sums the next `count` messages; waits for `Burst` full slots, at most `Polls` polls.
  template <unsigned Burst, unsigned Polls, bool WriteBack>
  std::uint64_t sum_of(std::uint64_t count) noexcept {
    std::uint64_t total = 0;
    const std::uint64_t end = consumed_ + count;
    while (consumed_ != end) {
      if constexpr (Burst > 0) {
        const std::uint64_t last = std::min(consumed_ + Burst, end) - 1;
        for (unsigned poll = 0; poll < Polls && !full(last); ++poll) {
        }
      }
      while (consumed_ != end && full(consumed_)) {
        slot& at = ring_.slots[consumed_ % Slots];
        total += at.words[0] + at.words[1] + at.words[2] + at.words[3];
        if constexpr (WriteBack) at.reader_mark = 1;
        publish(++consumed_);
      }
    }
    return total;
  }

 private:
  [[nodiscard]] bool full(std::uint64_t n) const noexcept {
    return ring_.slots[n % Slots].number.load(std::memory_order_acquire) == n + 1;
  }
  void publish(std::uint64_t consumed) noexcept {
    if (consumed % (Slots / 4) == 0) ring_.consumed.store(consumed, std::memory_order_release);
  }

  ring<Slots>& ring_;
  std::uint64_t consumed_ = 0;
};

template <std::uint64_t Slots>
struct ring_pair {
  ring<Slots> out;
  ring<Slots> back;
};

template <std::uint64_t Slots, unsigned Ahead, unsigned Burst, unsigned Polls, bool WriteBack>
class limit_ring {
 public:
  explicit limit_ring(ring_pair<Slots>& memory) noexcept
      : requests_(memory.out),
        incoming_(memory.out),
        replies_(memory.back),
        replies_in_(memory.back) {}

  void post() noexcept { requests_.put(make_message(requests_.sent())); }
  void ping() noexcept {
    post();
    reply_ = replies_in_.receive();
    if constexpr (WriteBack) replies_in_.write_back_last();
  }
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return 50 * Slots; }
  [[nodiscard]] bool intact() const noexcept {
    return reply_.words[0] == sum_of_first(requests_.sent());
  }

  void serve_posts(std::uint64_t count) noexcept {
    total_ += incoming_.template sum_of<Burst, Polls, WriteBack>(count);
  }
  void serve_pings(std::uint64_t count) noexcept {
    for (; count > 0; --count) {
      total_ += sum(incoming_.receive());
      replies_.put({{total_, 0, 0, 0}});
      if constexpr (WriteBack) incoming_.write_back_last();
    }
  }

 private:
  writer<Slots, Ahead> requests_;
  reader<Slots> incoming_;
  writer<Slots, Ahead> replies_;
  reader<Slots> replies_in_;
  std::uint64_t total_ = 0;
  message reply_{};
};

// Measures a ring of that shape in unused memory.
template <std::uint64_t Slots, unsigned Ahead, unsigned Burst, unsigned Polls,
          bool WriteBack = false>
void try_shape(probe_runner& runner, std::byte*& memory, const char* name, bool floods) {
  limit_ring<Slots, Ahead, Burst, Polls, WriteBack> layer(
      *reinterpret_cast<ring_pair<Slots>*>(memory));
  memory += sizeof(ring_pair<Slots>);
  runner.rtt(layer, name);
  if (floods) runner.flood(layer, name);
}

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  run_pair(4 * sizeof(ring_pair<4096>) + 2 * sizeof(ring_pair<64>), [&](side mine,
                                                                        std::byte* memory) {
    probe_runner runner(mine, opts);
    try_shape<4096, 16, 0, 0>(runner, memory, "4096,16-ahead", true);
    try_shape<4096, 16, 64, 200>(runner, memory, "4096,16-ahead,bursts-of-64", true);
    try_shape<4096, 0, 64, 200>(runner, memory, "4096,bursts-of-64", true);
    try_shape<4096, 16, 64, 200, true>(runner, memory, "4096,16-ahead,bursts-of-64,owned", true);
    try_shape<64, 8, 0, 0>(runner, memory, "64,8-ahead", false);
    try_shape<64, 0, 0, 0, true>(runner, memory, "64,owned", false);
  });
}
