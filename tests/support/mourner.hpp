// Takes what a port tells of requests when it is given up.
#pragma once

#include <libam/seam/transport.hpp>

#include <vector>

namespace am_test {

struct mourner final : am::detail::seam::mourner {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  void lost(am_rank, const am::detail::seam::lost_request& one) noexcept override {
    words.push_back(one.words[0]);
    unknown |= one.unknown;
  }
  std::vector<am_word> words;  // the first of each
  bool unknown = false;        // whether nobody can tell of one of them
};

}  // namespace am_test
