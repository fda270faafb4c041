// Parts of an endpoint without an endpoint: rank 0 of 4 over the recording transport, with a table
// of handlers of the test's own.
#pragma once

#include "recording.hpp"

#include "../support/blackboard_boot.hpp"

#include <libam/core/bulk_handlers.hpp>
#include <libam/core/progress.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace am_test {

struct parts : private am::detail::seam::news {
  static constexpr std::uint32_t noting = 0;  // a handler that notes what came
  static constexpr std::uint32_t asking = 1;  // one that replies to it

  explicit parts(std::uint32_t window = 4);
  ~parts() { running = nullptr; }

  // What ran, came back or was heard, a word each.
  std::string story;

  am::detail::core::membership in;
  am::detail::core::dispatcher messages;
  am::detail::core::callbacks told;
  am::detail::core::transport_set transports;
  am::detail::core::poll_clock clock;
  am::detail::core::peers peers;
  am::detail::core::bulk data;
  am::detail::core::failures deaths;
  am::detail::core::stall_watch stalls;
  am::detail::core::progress turns;
  am_handler noting_handler{};
  recording* wire = nullptr;

 private:
  static parts* running;
  void transferred(am::detail::seam::transfer& one) noexcept override;
  void heard_of_end(am_rank peer, std::string_view why) noexcept override;
  [[nodiscard]] bool expects(am_rank peer, const void* where,
                             std::size_t bytes) const noexcept override {
    return data.expects(peer, where, bytes);
  }
  void given_back(am_status reason, const am_word* words, bool unknown) noexcept override;
  void answer_has_come(const am::detail::seam::answer&) noexcept override {}
};

}  // namespace am_test
