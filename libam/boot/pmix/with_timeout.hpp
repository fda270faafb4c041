// Calls that wait for the launcher, with a time limit.
#pragma once

#include <libam/base/signal_masked_thread.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace am::detail::pmix {

// How long a launcher may take for an answer that needs no other rank.
inline constexpr std::chrono::seconds answer_timeout{30};

// What `call` returns; nothing: it has not returned in time. Then it goes on in its thread, so it
// must own all that it uses.
template <class Call>
auto call_with_timeout(Call call, std::chrono::seconds limit = answer_timeout)
    -> std::optional<decltype(call())> try {
  std::packaged_task<decltype(call())()> task(std::move(call));
  auto result = task.get_future();
  base::start_signal_masked_thread(std::move(task)).detach();
  if (result.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return result.get();
} catch (const std::system_error&) {  // there may be no more threads
  return std::nullopt;
}

}  // namespace am::detail::pmix
