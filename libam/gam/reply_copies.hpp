// Bulk replies whose bytes this rank cannot place itself: it keeps a copy until the requester has
// fetched it and reports that. A requester with `most_fetches` gets pending makes no more requests,
// so each has about that number of copies here plus its credits, and those whose get has failed.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace am::detail::gam {

inline constexpr unsigned most_fetches = 64;

class reply_copies {
 public:
  // The address of a copy for `rank`; null: there is no memory for it.
  const std::byte* add(am_rank rank, const void* data, std::size_t bytes);
  // Does nothing if no copy of that rank's is there.
  void release(am_rank rank, am_word at);
  // The copies of ranks for which is_gone(rank) is true.
  template <class IsGone>
  void release_if(IsGone&& is_gone) {
    std::erase_if(all_, [&](const auto& one) { return is_gone(one.second.first); });
  }
  void clear() noexcept { all_.clear(); }

 private:
  std::map<am_word, std::pair<am_rank, std::unique_ptr<std::byte[]>>> all_;  // by address
};

}  // namespace am::detail::gam
