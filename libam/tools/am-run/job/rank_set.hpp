// The ranks of one host, or of several, in rising order.
#pragma once

#include <am/types.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace am::detail::run {

class rank_set {
 public:
  rank_set() = default;
  // `members` rise. `job_size`: the number of ranks of the whole job.
  rank_set(std::vector<am_rank> members, am_rank job_size)
      : members_(std::move(members)), job_size_(job_size) {}
  static rank_set block(am_rank first, am_rank count, am_rank job_size) {
    std::vector<am_rank> members(count);
    std::iota(members.begin(), members.end(), first);
    return {std::move(members), job_size};
  }

  [[nodiscard]] am_rank job_size() const noexcept { return job_size_; }
  [[nodiscard]] am_rank size() const noexcept { return static_cast<am_rank>(members_.size()); }
  [[nodiscard]] bool empty() const noexcept { return members_.empty(); }
  [[nodiscard]] am_rank operator[](std::size_t place) const { return members_[place]; }
  [[nodiscard]] const std::vector<am_rank>& members() const noexcept { return members_; }
  [[nodiscard]] auto begin() const noexcept { return members_.begin(); }
  [[nodiscard]] auto end() const noexcept { return members_.end(); }

  [[nodiscard]] bool has(am_rank rank) const { return std::binary_search(begin(), end(), rank); }
  // Of a member.
  [[nodiscard]] std::size_t place_of(am_rank rank) const {
    return static_cast<std::size_t>(std::lower_bound(begin(), end(), rank) - begin());
  }

 private:
  std::vector<am_rank> members_;
  am_rank job_size_ = 0;
};

}  // namespace am::detail::run
