// A job whose ranks are threads of one process over one mapping, so that ThreadSanitizer sees both
// ends of every ring. Its boot synchronizes the ranks by a mutex instead of sockets.
#pragma once

#include <am/am.hpp>
#include <libam/base/settings.hpp>
#include <libam/seam/boot.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace am_test {

// The shared state of all ranks of one join: keys, fence and memory.
class epoch_state {
 public:
  explicit epoch_state(am_rank ranks);

  using blob = std::vector<std::byte>;
  void put(am_rank rank, std::string_view key, blob value);
  unsigned arrive();  // returns the number of this fence
  // Whether all have arrived; `rank` is woken when they have, and its wakeup is cleared here.
  [[nodiscard]] bool passed(unsigned fence, am_rank rank);
  [[nodiscard]] int descriptor(am_rank rank) const { return wakeups_[rank].descriptor(); }
  am_status get(am_rank rank, std::string_view key, blob& value);
  am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                         am::detail::base::shared_memory& memory);

 private:
  using key_store = std::map<std::string, blob, std::less<>>;

  std::mutex mutex_;
  std::vector<key_store> pending_;  // by rank
  std::vector<key_store> published_;
  std::vector<am::detail::base::wakeup> wakeups_;
  unsigned arrived_ = 0;
  unsigned fences_passed_ = 0;
  am::detail::base::shared_memory memory_;
};

class thread_job {
 public:
  thread_job(am_rank ranks, am::detail::base::settings settings)
      : ranks_(ranks), settings_(std::move(settings)), joins_(ranks) {}

  // Runs `body` in one thread for each rank. `join` makes an endpoint for that rank, as often as it
  // is called.
  using rank_body = void(am_rank rank, const std::function<am::endpoint()>& join);
  void run(const std::function<rank_body>& body);

 private:
  am::endpoint join(am_rank rank);
  std::shared_ptr<epoch_state> epoch_state_of(unsigned round);

  const am_rank ranks_;
  const am::detail::base::settings settings_;
  std::vector<unsigned> joins_;  // by rank: the number of its joins
  std::mutex mutex_;
  std::vector<std::shared_ptr<epoch_state>> epochs_;
};

}  // namespace am_test
