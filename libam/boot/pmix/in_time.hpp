// A call that waits for the launcher, with a limit of our own. It runs in a thread that receives no
// signal of the program's, and neither do threads that it starts.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>
#include <csignal>

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
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (result.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return result.get();
} catch (const std::system_error&) {  // there may be no more threads
  return std::nullopt;
}

}  // namespace am::detail::pmix
