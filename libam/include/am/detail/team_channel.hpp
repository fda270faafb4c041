// Receives the messages of one team at one rank. A message is copied to where the running step
// expects it; one that is early, for a step that this rank has not begun, is held until then.
//
// In one step a rank gets its messages from each other rank in the order sent, and ranks make the
// same steps: so the next message of a source is always the one that is expected next. Its header
// is only compared, to find ranks that have made different calls.
#pragma once

#include <am/types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <list>
#include <string>
#include <vector>

namespace am {

/// The cost of a team at this rank: for tests and measurements.
struct team_counts {
  std::uint64_t sent = 0;      ///< messages
  std::uint64_t received = 0;  ///< messages
  std::uint64_t barriers = 0;  ///< barriers inside other collectives: they bound the run-ahead
  std::size_t most_held = 0;   ///< early messages, the most at one time: their bytes and 128 each
  unsigned depth = 0;  ///< last collective: the longest chain of messages, each after another
};

namespace detail {

enum class team_call : std::uint16_t {
  barrier,
  broadcast,
  reduce,
  scan,
  all_gather,
  all_to_all,
};

/// The first words of every message of a team.
struct team_header {
  std::uint32_t team;
  std::uint32_t step;
  std::uint32_t bytes;
  team_call call;
  std::uint16_t depth;
};

/// About what a held message takes beside its bytes.
inline constexpr std::size_t team_overhead = 128;

class team_channel {
 public:
  explicit team_channel(am_rank job_ranks) : sources_(job_ranks) {}

  /// Messages that come from now on are early if they are not of this step.
  void begin_step(team_call call) noexcept {
    ++step_;
    call_ = call;
    in_step_ = true;
  }

  /// Bytes from job rank `from` go to `where`, which stays until all_received() or end_step().
  void expect(am_rank from, std::byte* where, std::uint32_t bytes) {
    source& s = sources_[from];
    s.where = where;
    s.bytes = bytes;
    s.expected = true;
    ++missing_;
    if (s.early.empty()) return;
    const message first = std::move(s.early.front());
    s.early.pop_front();
    held_ -= first.data.size() + team_overhead;
    land(from, first.header, first.data.data());
  }

  /// Runs in the handler; `there` bytes have come.
  void deliver(am_rank from, const team_header& header, const std::byte* data, std::size_t there) {
    source& s = sources_[from];
    ++counts.received;
    if (header.bytes > there) {
      problem_ = "rank " + std::to_string(from) + " of the job says " + text(header) +
                 " and has sent " + std::to_string(there);
      return;
    }
    if (s.expected) return land(from, header, data);
    s.early.push_back({header, {data, data + header.bytes}});
    held_ += header.bytes + team_overhead;
    counts.most_held = std::max(counts.most_held, held_);
  }

  /// All that was expected has come, or there is a problem.
  [[nodiscard]] bool all_received() const noexcept { return missing_ == 0 || !problem_.empty(); }
  /// A line that describes it, or empty: after a problem the team cannot be used.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// A new collective begins: its chain of messages is empty.
  void reset_depth() noexcept { counts.depth = landed_depth_ = 0; }
  /// Messages sent from now on depend on all that have come; those sent before do not.
  void update_depth() noexcept { counts.depth = landed_depth_; }

  [[nodiscard]] bool in_step() const noexcept { return in_step_; }

  /// The step is over, and nothing is expected any more.
  void end_step() noexcept {
    in_step_ = false;
    if (missing_ == 0) return;
    for (source& s : sources_) s.expected = false;
    missing_ = 0;
  }

  [[nodiscard]] team_header header(std::uint32_t team, std::uint32_t bytes) const noexcept {
    const auto depth = static_cast<std::uint16_t>(std::min(counts.depth + 1, 65535U));
    return {team, step_, bytes, call_, depth};
  }

  team_counts counts;

 private:
  struct message {
    team_header header;
    std::vector<std::byte> data;
  };
  struct source {
    std::byte* where = nullptr;
    std::uint32_t bytes = 0;
    bool expected = false;
    std::list<message> early;
  };

  void land(am_rank from, const team_header& header, const std::byte* data) {
    source& s = sources_[from];
    if (header.step != step_ || header.call != call_ || header.bytes != s.bytes) {
      problem_ = "rank " + std::to_string(from) + " of the job is at " + text(header) +
                 ", this rank at " + text({header.team, step_, s.bytes, call_, 0}) +
                 ": all ranks of a team make the same calls in the same order, with equal sizes";
      return;
    }
    if (s.bytes != 0) std::memcpy(s.where, data, s.bytes);
    s.expected = false;
    --missing_;
    landed_depth_ = std::max<unsigned>(landed_depth_, header.depth);
  }

  static std::string text(const team_header& header) {
    static constexpr std::array names{"barrier", "broadcast",  "reduce",
                                      "scan",    "all_gather", "all_to_all"};
    const auto call = static_cast<std::size_t>(header.call);
    return "step " + std::to_string(header.step) + ", a piece of " + std::to_string(header.bytes) +
           " bytes in " + (call < names.size() ? names[call] : "no collective");
  }

  std::vector<source> sources_;  // by job rank, known even before the team exists here
  std::uint32_t step_ = 0;
  team_call call_{};
  bool in_step_ = false;
  unsigned missing_ = 0;
  unsigned landed_depth_ = 0;
  std::size_t held_ = 0;
  std::string problem_;
};

}  // namespace detail
}  // namespace am
