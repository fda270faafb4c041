// How much the user wants to be measured, and in which order.
#pragma once

#include <calib/driver/measure/rounds.hpp>

#include <cstdint>
#include <random>

namespace calib::suite {

struct effort {
  unsigned rounds = 0;     // exactly; 0: as the plan has it
  std::uint64_t seed = 0;  // 0: a random one

  [[nodiscard]] plan applied_to(plan of) const {
    if (rounds > 0) of.min_rounds = of.max_rounds = rounds;
    of.seed = seed != 0 ? seed : std::random_device{}();
    return of;
  }
};

}  // namespace calib::suite
