// A rank that is running, or hangs, as its memory shows it: what it waits for, its unanswered
// requests, and its counters.
#pragma once

#include <am/am.h>

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace am::detail::info {

struct live_request {
  std::string handler;
  std::array<am_word, AM_WORDS> words;
  std::optional<bool> begun;  // at the target; nothing: unknown
};

struct live_peer {
  am_rank rank;
  std::string transport;  // empty: no contact
  std::uint32_t unanswered;
  std::uint32_t credits;  // the most that may be unanswered
  std::optional<live_request> oldest;
  am_traffic traffic;
};

struct live_rank {
  pid_t pid;
  std::string process;  // "sleeps"
  am_rank rank;
  am_rank ranks;
  std::string call;  // that waits; empty: none has waited long
  std::optional<am_rank> waits_for;
  double waited;        // seconds
  std::string handler;  // that runs; empty: none
  am_rank source;       // of its message
  std::uint64_t polls;
  std::uint64_t empty_polls;
  std::uint64_t new_polls;                                      // in the next tenth of a second
  std::vector<live_peer> peers;                                 // with contact or traffic
  std::vector<std::pair<std::string, std::uint64_t>> handlers;  // names, and how often they ran
};

// The endpoints of that process. Nothing: `why` is one line with the reason.
std::optional<std::vector<live_rank>> read_live_ranks(pid_t pid, std::string& why);

}  // namespace am::detail::info
