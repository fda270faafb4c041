// Records the requests that a port reports as lost.
#pragma once

#include <libam/seam/transport.hpp>

#include <vector>

namespace am_test {

struct failure_sink final : am::detail::seam::failure_sink {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  void on_lost_request(am_rank, const am::detail::seam::lost_request& one) noexcept override {
    words.push_back(one.words[0]);
    unknown |= one.unknown;
  }
  std::vector<am_word> words;  // the first word of each
  bool unknown = false;        // whether the outcome of one is unknown
};

}  // namespace am_test
