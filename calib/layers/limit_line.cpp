// limit-line: how fast two cores can answer each other at all. A line of 64 bytes with a number
// and four words; the number says that the words are there. Nothing else: no queue, no handler.
//
// `each-way`: a message and its answer have a line each, as in every channel whose two ends may
// send when they like; this is the limit. `same-line`: the answer overwrites the message, which
// halves the traffic between the caches; measured beside it as rtt_same_line, so that it is known
// what a channel of messages gives away.
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

struct lines {
  alignas(128) line out;
  alignas(128) line back;
};

template <bool Pause>
message await(const line& from, std::uint64_t n) noexcept {
  while (from.number.load(std::memory_order_acquire) != n)
    if constexpr (Pause) relax();
  return {{from.words[0], from.words[1], from.words[2], from.words[3]}};
}

// How far a line lies from the two cores depends on its address, so none is used for long.
constexpr std::uint64_t many = 256;
constexpr std::uint64_t trips_on_one = 50;
using place = std::array<lines, many>;

enum class answer { in_line_of_its_own, in_same_line };

template <answer Where, bool Pause>
class bounce {
 public:
  explicit bounce(place& at) noexcept : at_(at) {}

  void ping() noexcept {
    lines& here = at_[trips_ / trips_on_one % many];
    here.out.put(2 * trips_ + 1, numbered(trips_));
    answer_ = await<Pause>(back(here), 2 * trips_ + 2);
    ++trips_;
  }
  void serve_pings(std::uint64_t count) noexcept {
    for (; count > 0; --count, ++trips_) {
      lines& here = at_[trips_ / trips_on_one % many];
      total_ += sum(await<Pause>(here.out, 2 * trips_ + 1));
      back(here).put(2 * trips_ + 2, {{total_, 0, 0, 0}});
    }
  }
  [[nodiscard]] bool intact() const noexcept { return answer_.words[0] == sum_of_first(trips_); }

 private:
  static line& back(lines& here) noexcept {
    return Where == answer::in_same_line ? here.out : here.back;
  }

  place& at_;
  std::uint64_t trips_ = 0;
  std::uint64_t total_ = 0;
  message answer_{};
};

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  as_pair(4 * sizeof(place), [&](side mine, std::byte* memory) {
    auto* at = reinterpret_cast<place*>(memory);
    script play(mine, from);
    bounce<answer::in_line_of_its_own, true> relaxed(at[0]);
    play.rtt(relaxed, "each-way,pause");
    bounce<answer::in_line_of_its_own, false> eager(at[1]);
    play.rtt(eager, "each-way");
    bounce<answer::in_same_line, true> same_relaxed(at[2]);
    play.rtt(same_relaxed, "same-line,pause", "rtt_same_line");
    bounce<answer::in_same_line, false> same_eager(at[3]);
    play.rtt(same_eager, "same-line", "rtt_same_line");
  });
}
