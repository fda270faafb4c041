// A call that waits for the launcher, with a limit of our own.
#pragma once

#include <libam/base/quiet_thread.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace am::detail::pmix {

// How long a launcher may take for an answer that needs no other rank.
inline constexpr std::chrono::seconds answer_deadline{30};

// What `call` returns; nothing: it has not returned in time. Then it goes on by itself, so it owns
// all that it uses.
template <class Call>
auto in_time(Call call, std::chrono::seconds limit = answer_deadline)
    -> std::optional<decltype(call())> try {
  std::packaged_task<decltype(call())()> task(std::move(call));
  auto result = task.get_future();
  base::quiet_thread(std::move(task)).detach();
  if (result.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return result.get();
} catch (const std::system_error&) {  // there may be no more threads
  return std::nullopt;
}

}  // namespace am::detail::pmix
