// One word of shared memory, for a process that knows only its offset. There is none where the
// offset is invalid, or the page does not exist and cannot be allocated: an access would end this
// process.
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

  // Sets these bits with release order; or does nothing if there is no word.
  void set(std::uint64_t bits) noexcept;

 private:
  std::byte* page_ = nullptr;
  std::uint64_t* word_ = nullptr;
};

}  // namespace am::detail::base
