// What the benchmarks of NISTIR 4630 have in common: their main function, and what they compute.
// They send messages of their own.
#pragma once

#include "libam_program.hpp"
#include "random.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace apps::nist {

// This process in the job.
class job {
 public:
  job(int& argc, char**& argv) : ep_(am::join(argc, argv)), all_(ep_) {}

  [[nodiscard]] rank_id rank() const noexcept { return ep_.rank(); }
  [[nodiscard]] rank_id ranks() const noexcept { return ep_.ranks(); }
  [[nodiscard]] am::endpoint& endpoint() noexcept { return ep_; }
  [[nodiscard]] am::team& team() noexcept { return all_; }
  void barrier() { all_.barrier(); }

 private:
  am::endpoint ep_;
  am::team all_;
};

template <program_in<job> Program>
int nist_main(const description& of, int argc, char** argv) {
  return libam_main<job, Program>(of, argc, argv);
}

// The words of a rank before anything is computed.
inline std::vector<word> first_words(std::uint64_t seed, rank_id rank, std::size_t length) {
  std::vector<word> words(length);
  for (std::size_t i = 0; i < length; ++i) words[i] = random_word(seed, rank * length + i);
  return words;
}

// What is computed for a datum: integer multiplications, each of which needs the one before.
constexpr word multiplied(word datum, word addend, std::size_t times) noexcept {
  constexpr word multiplier = 0x5851f42d4c957f2dU;  // of Knuth's MMIX
  for (; times > 0; --times) datum = datum * multiplier + addend;
  return datum;
}
static_assert(multiplied(3, 5, 0) == 3);
static_assert(multiplied(3, 5, 1) == 3 * 0x5851f42d4c957f2dU + 5);
static_assert(multiplied(3, 5, 2) == (3 * 0x5851f42d4c957f2dU + 5) * 0x5851f42d4c957f2dU + 5);

// The same in closed form, by which results are checked: it is linear in the datum and the addend.
class multiplication {
 public:
  explicit constexpr multiplication(std::size_t times) noexcept
      : of_datum_(multiplied(1, 0, times)), of_addend_(multiplied(0, 1, times)) {}

  [[nodiscard]] constexpr word operator()(word datum, word addend) const noexcept {
    return datum * of_datum_ + addend * of_addend_;
  }

 private:
  word of_datum_;
  word of_addend_;
};

// A message has at most this many words.
inline std::size_t most_words(job& w) { return w.endpoint().max_medium() / sizeof(word); }

inline std::string length_refusal(job& w, std::size_t length) {
  if (length <= most_words(w)) return {};
  return "--length " + std::to_string(length) + ": a message has at most " +
         std::to_string(most_words(w)) + " words (AM_MAX_MEDIUM)";
}

// False: the payload has another length.
inline bool copy_words(std::span<const std::byte> from, std::span<word> to) {
  if (from.size() != to.size_bytes()) return false;
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  return true;
}

}  // namespace apps::nist
