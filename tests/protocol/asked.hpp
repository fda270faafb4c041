// An endpoint of rank 0 of 4 that rank 2 asks for bytes.
#pragma once

#include "one_of_four.hpp"

#include <libam/core/bulk_handlers.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace am_test {

struct asked : one_of_four {
  asked(std::uint32_t window, std::size_t bytes) : one_of_four(window), here(bytes, std::byte{7}) {}

  void ask(am_word number) {
    wire->receive_request(2, am::detail::core::get_handler.id,
                          {number, reinterpret_cast<std::uintptr_t>(here.data()), here.size(), 0});
  }

  std::vector<std::byte> here;
};

}  // namespace am_test
