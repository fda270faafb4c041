// An endpoint of rank 0 of 4 over the recording transport.
#pragma once

#include "recording.hpp"

#include "../support/blackboard_boot.hpp"

#include <libam/core/convert.hpp>

#include <am/am.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace am_test {

template <auto Handler>
const am_handler* entry() {
  return &am::detail::entry_of<Handler>::entry;
}

struct one_of_four {
  explicit one_of_four(std::uint32_t window, const am::detail::base::settings& settings = {}) {
    recording::window = window;
    auto boot = std::make_unique<blackboard_boot>(0, 4);
    job = boot.get();
    am::detail::core::endpoint* made = nullptr;
    REQUIRE(am::detail::core::endpoint::join(std::move(boot), settings, &made) == AM_OK);
    raw = am::detail::core::face_of(made);
    wire = recording::last;
  }
  ~one_of_four() {
    if (raw != nullptr) am_ep_abandon(raw);
  }
  one_of_four(const one_of_four&) = delete;
  one_of_four& operator=(const one_of_four&) = delete;

  unsigned poll(unsigned budget = 0) {
    unsigned ran = 0;
    REQUIRE(am_ep_poll(raw, budget, &ran) == AM_OK);
    return ran;
  }

  am_ep* raw = nullptr;
  blackboard_boot* job = nullptr;
  recording* wire = nullptr;
};

}  // namespace am_test
