// Answers with data, where they arrive.
#pragma once

#include <libam/core/endpoint.hpp>

namespace am::detail::core {

// The payload of an answer is for an address of this rank, whose handler runs in this one's place.
void take_stored_answer(endpoint& ep, am_token token, const am_word* words, const void* data,
                        std::size_t bytes) noexcept;

}  // namespace am::detail::core
