// What the cases of two-sided messages share.
#pragma once

#include "../support/suite.hpp"

#include <am/messages.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace messages_test {

using namespace am::messages;
using am::rank_id;

// So many bytes that differ with the seed.
inline std::vector<std::uint8_t> bytes_of(std::size_t size, std::size_t seed) {
  std::vector<std::uint8_t> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::uint8_t>(seed + 7 * i);
  return all;
}

inline bool has_thread(am_test::session& job) { return am_ep_wants_thread(job.ep().raw()) != 0; }

// More than the requests for later that core keeps. A thread sends them between two of its calls.
inline std::uint32_t many_answers(am_test::session& job) {
  return has_thread(job) ? 40 : job.per_rank(4200);
}

// Where all ranks are in the case. By the thread that owns the endpoint, which a mailbox may have.
inline void fence(am_test::session& job, mailbox& m) {
  m.run([&] { job.ep().job_fence(); });
}

// Where it might never end, and the case is to go on.
inline bool ends_soon(request& one) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!test(one))
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

inline rank_id before(const mailbox& m) { return (m.rank() + m.ranks() - 1) % m.ranks(); }
inline rank_id behind(const mailbox& m) { return (m.rank() + 1) % m.ranks(); }

// Around the words of a message, the largest payload, and beyond.
inline constexpr std::size_t sizes[] = {0, 1, 8, 24, 25, 500, 16384, 16385, 100000};

}  // namespace messages_test
