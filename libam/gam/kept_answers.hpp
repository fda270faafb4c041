// Bulk replies whose bytes this rank cannot place itself: it keeps a copy, and the requester
// fetches it and says when it may go. A requester that lets many wait asks for nothing more, so
// there are about `most_fetches` and its credits of copies for each, and those whose get has
// failed.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace am::detail::gam {

inline constexpr unsigned most_fetches = 64;

class kept_answers {
 public:
  // A copy for `rank`, and where it stands; null: there is no memory for it.
  const std::byte* keep(am_rank rank, const void* data, std::size_t bytes);
  // Nothing happens where that is no copy of that rank's.
  void forget(am_rank rank, am_word at);
  // Of those for which is_gone(rank).
  template <class IsGone>
  void forget_if(IsGone&& is_gone) {
    std::erase_if(all_, [&](const auto& one) { return is_gone(one.second.first); });
  }
  void clear() noexcept { all_.clear(); }

 private:
  std::map<am_word, std::pair<am_rank, std::unique_ptr<std::byte[]>>> all_;  // by address
};

}  // namespace am::detail::gam
