// The parts of an endpoint without an endpoint: rank 0 of 4 over the recording transport, with the
// test's own table of handlers.
#pragma once

#include "recording_transport.hpp"

#include "../support/simulated_boot.hpp"

#include <libam/core/library_handlers.hpp>
#include <libam/core/progress.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace am_test {

struct parts : private am::detail::seam::event_sink {
  static constexpr std::uint32_t noting = 0;    // a handler that logs its call
  static constexpr std::uint32_t replying = 1;  // a handler that replies to it

  explicit parts(std::uint32_t window = 4);
  ~parts() { running = nullptr; }

  // A word for each handler run, returned request or failure.
  std::string event_log;

  am::detail::core::membership in;
  am::detail::core::dispatcher messages;
  am::detail::core::callbacks callbacks;
  am::detail::core::transport_set transports;
  am::detail::core::poll_clock clock;
  am::detail::core::peers peers;
  am::detail::core::bulk data;
  am::detail::core::failures deaths;
  am::detail::core::stall_detector stalls;
  am::detail::core::progress poll_loop;
  am_handler noting_handler{};
  recording_transport* wire = nullptr;

 private:
  static parts* running;
  void on_transfer_end(am::detail::seam::transfer& one) noexcept override;
  void on_peer_failed(am_rank peer, std::string_view why) noexcept override;
  [[nodiscard]] bool is_known_mapped(am_rank peer, const void* where,
                                     std::size_t bytes) const noexcept override {
    return data.is_known_mapped(peer, where, bytes);
  }
  void on_request_returned(am_status reason, const am_word* words, bool unknown) noexcept override;
  void on_answer(const am::detail::seam::answer&) noexcept override {}
};

}  // namespace am_test
