// A rank with a neighbour that may violate every rule: the real endpoint over the real
// shared-memory transport in one process; the test writes the neighbour's part of the job's memory.
//
// The job has four ranks. Rank 1 is the one under test, rank 2 the neighbour. Only the memory that
// these two share is mapped: control blocks, directories, and the channels of rank 1. An access to
// any other page ends the process. The mapping is made once and emptied for each job.
#pragma once

#include "base_stubs.hpp"

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
  neighbour_job(std::uint32_t credits, am::detail::base::bulk_method bulk);
  ~neighbour_job();
  neighbour_job(const neighbour_job&) = delete;
  neighbour_job& operator=(const neighbour_job&) = delete;

  // Runs an act of the rank. If that ends the job, later acts do nothing.
  void run_guarded(const std::function<void()>& act);
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  [[nodiscard]] am::detail::core::endpoint& ep() noexcept { return *ep_; }

  // The memory as the neighbour maps it.
  [[nodiscard]] const am::detail::shm::layout& layout() const noexcept;
  template <class Object>
  Object& at(std::size_t offset) noexcept {
    return *reinterpret_cast<Object*>(memory() + offset);
  }
  am::detail::shm::control_block& control_block(am_rank rank) noexcept {
    return at<am::detail::shm::control_block>(layout().control_block_at(rank));
  }
  am::detail::shm::channel_state& channel(am_rank from, am_rank to) noexcept {
    return at<am::detail::shm::channel_state>(layout().channel_at(from, to));
  }
  am::detail::shm::slot* requests(am_rank from, am_rank to) noexcept {
    return &at<am::detail::shm::slot>(layout().requests_at(from, to));
  }
  am::detail::shm::slot* replies(am_rank from, am_rank to) noexcept {
    return &at<am::detail::shm::slot>(layout().replies_at(from, to));
  }
  std::byte* payload(am_rank from, am_rank to) noexcept {
    return &at<std::byte>(layout().payload_at(from, to));
  }
  // Whether these words are in a slot of the neighbour's two rings that holds a message for a
  // handler, or outside the job's memory.
  [[nodiscard]] bool is_message(const am_word* words) noexcept;
  // Whether this memory belongs to the job, and to the room with the neighbour's payload.
  [[nodiscard]] bool is_shared(const void* data) const noexcept;
  [[nodiscard]] bool is_payload(const void* data, std::size_t bytes) noexcept;

  // A page that belongs to neither of the two: its offset in the job's memory, and whether it is
  // unchanged.
  [[nodiscard]] std::size_t foreign_page() const noexcept;
  [[nodiscard]] bool foreign_page_is_untouched() const noexcept;

 private:
  static std::byte* memory() noexcept;

  am::detail::base::settings settings_;
  std::unique_ptr<am::detail::core::endpoint> ep_;
  bool has_ended_ = false;
};

}  // namespace am_test::fuzz
