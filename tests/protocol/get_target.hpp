// An endpoint of rank 0 of 4, from which rank 2 gets bytes.
#pragma once

#include "four_rank_endpoint.hpp"

#include <libam/core/library_handlers.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace am_test {

struct get_target : four_rank_endpoint {
  get_target(std::uint32_t window, std::size_t bytes)
      : four_rank_endpoint(window), here(bytes, std::byte{7}) {}

  void receive_get(am_word number) {
    wire->receive_request(2, am::detail::core::get_handler.id,
                          {number, reinterpret_cast<std::uintptr_t>(here.data()), here.size(), 0});
  }

  std::vector<std::byte> here;
};

}  // namespace am_test
