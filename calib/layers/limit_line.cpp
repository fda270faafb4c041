// limit-line: the shortest round trip between two cores. A cache line of 64 bytes with a number and
// four words; the number announces the words. No queue, no handler.
//
// `each-way`: a message and its reply have a line each, as in every channel whose ends send
// independently; this is the limit. `same-line`: the reply overwrites the message, which halves the
// traffic between the caches; measured as rtt_same_line, to show the cost of a channel of messages.
#include <calib/program/cpu.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

#include <array>
#include <atomic>

namespace {

using namespace calib;

struct alignas(64) line {
  std::atomic<std::uint64_t> number;
  std::uint64_t words[4];

  void put(std::uint64_t n, const message& m) noexcept {
    for (int i = 0; i < 4; ++i) words[i] = m.words[i];
    number.store(n, std::memory_order_release);
  }
};

struct line_pair {
  alignas(128) line out;
  alignas(128) line back;
};

template <bool Pause>
message wait_for_number(const line& from, std::uint64_t n) noexcept {
  while (from.number.load(std::memory_order_acquire) != n)
    if constexpr (Pause) relax();
  return {{from.words[0], from.words[1], from.words[2], from.words[3]}};
}

// The distance of a line from the two cores depends on its address, so many lines are used.
constexpr std::uint64_t lines_per_array = 256;
constexpr std::uint64_t trips_per_line = 50;
using line_array = std::array<line_pair, lines_per_array>;

enum class reply_line { own, same };

template <reply_line Where, bool Pause>
class ping_pong {
 public:
  explicit ping_pong(line_array& at) noexcept : at_(at) {}

  void ping() noexcept {
    line_pair& pair = at_[trips_ / trips_per_line % lines_per_array];
    pair.out.put(2 * trips_ + 1, make_message(trips_));
    reply_ = wait_for_number<Pause>(back(pair), 2 * trips_ + 2);
    ++trips_;
  }
  void serve_pings(std::uint64_t count) noexcept {
    for (; count > 0; --count, ++trips_) {
      line_pair& pair = at_[trips_ / trips_per_line % lines_per_array];
      total_ += sum(wait_for_number<Pause>(pair.out, 2 * trips_ + 1));
      back(pair).put(2 * trips_ + 2, {{total_, 0, 0, 0}});
    }
  }
  [[nodiscard]] bool intact() const noexcept { return reply_.words[0] == sum_of_first(trips_); }

 private:
  static line& back(line_pair& pair) noexcept {
    return Where == reply_line::same ? pair.out : pair.back;
  }

  line_array& at_;
  std::uint64_t trips_ = 0;
  std::uint64_t total_ = 0;
  message reply_{};
};

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  run_pair(4 * sizeof(line_array), [&](side mine, std::byte* memory) {
    auto* at = reinterpret_cast<line_array*>(memory);
    probe_runner runner(mine, opts);
    ping_pong<reply_line::own, true> relaxed(at[0]);
    runner.rtt(relaxed, "each-way,pause");
    ping_pong<reply_line::own, false> eager(at[1]);
    runner.rtt(eager, "each-way");
    ping_pong<reply_line::same, true> same_relaxed(at[2]);
    runner.rtt(same_relaxed, "same-line,pause", "rtt_same_line");
    ping_pong<reply_line::same, false> same_eager(at[3]);
    runner.rtt(same_eager, "same-line", "rtt_same_line");
  });
}
