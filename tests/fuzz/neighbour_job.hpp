// A rank with a neighbour that keeps to no rule: the real endpoint over the real shared-memory
// transport in one process, and beside it whatever the test writes into the neighbour's part of the
// job's memory.
//
// The job has four ranks. Rank 1 is the one under test, rank 2 the neighbour. Of the memory only
// what these two share is there: doorsteps, directories, and the channels of rank 1. All other
// pages end the process when they are touched. The mapping is made once and emptied for each job.
#pragma once

#include "stand_ins.hpp"

#include <libam/base/settings.hpp>
#include <libam/core/endpoint.hpp>
#include <transports/shm/layout.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace am_test::fuzz {

inline constexpr am_rank me = 1;
inline constexpr am_rank neighbour = 2;
inline constexpr am_rank job_ranks = 4;

class neighbour_job {
 public:
  neighbour_job(std::uint32_t credits, am::detail::base::bulk_way bulk);
  ~neighbour_job();
  neighbour_job(const neighbour_job&) = delete;
  neighbour_job& operator=(const neighbour_job&) = delete;

  // Lets the rank do something. If that ends the job, nothing of it is done any more.
  void let(const std::function<void()>& act);
  [[nodiscard]] bool over() const noexcept { return over_; }
  [[nodiscard]] am::detail::core::endpoint& ep() noexcept { return *ep_; }

  // The memory as the neighbour has it.
  [[nodiscard]] const am::detail::shm::layout& places() const noexcept;
  template <class Object>
  Object& at(std::size_t offset) noexcept {
    return *reinterpret_cast<Object*>(memory() + offset);
  }
  am::detail::shm::doorstep& door(am_rank rank) noexcept {
    return at<am::detail::shm::doorstep>(places().doorstep_at(rank));
  }
  am::detail::shm::channel_lines& lines(am_rank from, am_rank to) noexcept {
    return at<am::detail::shm::channel_lines>(places().lines_at(from, to));
  }
  am::detail::shm::slot* requests(am_rank from, am_rank to) noexcept {
    return &at<am::detail::shm::slot>(places().requests_at(from, to));
  }
  am::detail::shm::slot* replies(am_rank from, am_rank to) noexcept {
    return &at<am::detail::shm::slot>(places().replies_at(from, to));
  }
  std::byte* payload(am_rank from, am_rank to) noexcept {
    return &at<std::byte>(places().payload_at(from, to));
  }
  // Do these words stand in a slot of the neighbour's two rings that is a message for a handler, or
  // outside the job's memory?
  [[nodiscard]] bool is_message(const am_word* words) noexcept;
  // Is this memory of the job, and of the room where the neighbour's payload stands?
  [[nodiscard]] bool is_shared(const void* data) const noexcept;
  [[nodiscard]] bool is_payload(const void* data, std::size_t bytes) noexcept;

  // A page that belongs to neither of the two: its place in the job's memory, and whether it is as
  // it was.
  [[nodiscard]] std::size_t strangers_page() const noexcept;
  [[nodiscard]] bool strangers_page_is_whole() const noexcept;

 private:
  static std::byte* memory() noexcept;

  am::detail::base::settings settings_;
  std::unique_ptr<am::detail::core::endpoint> ep_;
  bool over_ = false;
};

}  // namespace am_test::fuzz
