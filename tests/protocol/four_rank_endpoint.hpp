// An endpoint of rank 0 of 4 over the recording transport.
#pragma once

#include "recording_transport.hpp"

#include "../support/simulated_boot.hpp"

#include <libam/core/endpoint_handle.hpp>

#include <am/am.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace am_test {

template <auto Handler>
const am_handler* entry() {
  return &am::detail::entry_of<Handler>::entry;
}

struct four_rank_endpoint {
  explicit four_rank_endpoint(std::uint32_t window,
                              const am::detail::base::settings& settings = {}) {
    recording_transport::window = window;
    auto boot = std::make_unique<simulated_boot>(0, 4);
    job = boot.get();
    am::detail::core::endpoint* made = nullptr;
    REQUIRE(am::detail::core::endpoint::join(std::move(boot), settings, &made) == AM_OK);
    raw = am::detail::core::handle_of(made);
    wire = recording_transport::last;
  }
  ~four_rank_endpoint() {
    if (raw != nullptr) am_ep_abandon(raw);
  }
  four_rank_endpoint(const four_rank_endpoint&) = delete;
  four_rank_endpoint& operator=(const four_rank_endpoint&) = delete;

  unsigned poll(unsigned budget = 0) {
    unsigned ran = 0;
    REQUIRE(am_ep_poll(raw, budget, &ran) == AM_OK);
    return ran;
  }

  am_ep* raw = nullptr;
  simulated_boot* job = nullptr;
  recording_transport* wire = nullptr;
};

}  // namespace am_test
