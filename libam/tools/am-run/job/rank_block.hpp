// The ranks of one host: consecutive ones of the job.
#pragma once

#include <am/types.h>

namespace am::detail::run {

struct rank_block {
  am_rank first = 0;
  am_rank count = 0;
  am_rank ranks = 0;  // of the whole job
  [[nodiscard]] bool has(am_rank rank) const noexcept {
    return rank >= first && rank - first < count;
  }
  [[nodiscard]] am_rank end() const noexcept { return first + count; }
};

}  // namespace am::detail::run
