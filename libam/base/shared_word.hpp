// One word of memory that others have mapped, for somebody who knows no more of it than where the
// word stands. Not where nonsense was named, nor where there is no page and none to be had:
// touching that would end this process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace am::detail::base {

class shared_word {
 public:
  // The word at `offset` of the file `memory`.
  shared_word(int memory, std::uint64_t offset) noexcept;
  ~shared_word();
  shared_word(const shared_word&) = delete;
  shared_word& operator=(const shared_word&) = delete;

  // Sets these bits, after all that was done before; or does nothing.
  void set(std::uint64_t bits) noexcept;

 private:
  std::byte* page_ = nullptr;
  std::uint64_t* word_ = nullptr;
};

}  // namespace am::detail::base
