// A job whose ranks are threads of one process over one mapping, so that ThreadSanitizer sees both
// ends of every ring. It is a way of joining like any other (libam/seam/boot.hpp): the ranks meet
// under a mutex instead of over sockets.
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

// Where all ranks of one join meet: blackboard, fence and memory.
class meeting {
 public:
  explicit meeting(am_rank ranks);

  using blob = std::vector<std::byte>;
  void put(am_rank rank, std::string_view key, blob value);
  unsigned arrive();  // says which fence this is
  // Says whether it has; the bell of `rank` rings when it does, and is silenced here.
  [[nodiscard]] bool passed(unsigned fence, am_rank rank);
  [[nodiscard]] int descriptor(am_rank rank) const { return bells_[rank].descriptor(); }
  am_status get(am_rank rank, std::string_view key, blob& value);
  am_status share_memory(std::size_t bytes, std::size_t whole,
                         am::detail::base::shared_memory& memory);

 private:
  using board = std::map<std::string, blob, std::less<>>;

  std::mutex mutex_;
  std::vector<board> pending_;  // by rank
  std::vector<board> published_;
  std::vector<am::detail::base::bell> bells_;
  unsigned arrived_ = 0;
  unsigned fences_passed_ = 0;
  am::detail::base::shared_memory memory_;
};

class thread_job {
 public:
  thread_job(am_rank ranks, am::detail::base::settings settings)
      : ranks_(ranks), settings_(std::move(settings)), joins_(ranks) {}

  // One thread for each rank; each joins, runs `body` and is joined again.
  // `join` makes that rank's endpoint, as often as it is called.
  using rank_body = void(am_rank rank, const std::function<am::endpoint()>& join);
  void run(const std::function<rank_body>& body);

 private:
  am::endpoint join(am_rank rank);
  std::shared_ptr<meeting> meeting_of(unsigned round);

  const am_rank ranks_;
  const am::detail::base::settings settings_;
  std::vector<unsigned> joins_;  // by rank: how often it has joined
  std::mutex mutex_;
  std::vector<std::shared_ptr<meeting>> meetings_;
};

}  // namespace am_test
