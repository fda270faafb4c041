#include "thread_job.hpp"

#include <libam/base/error.hpp>
#include <libam/core/endpoint_handle.hpp>

#include <unistd.h>

#include <cstdio>
#include <thread>

namespace am_test {

namespace base = am::detail::base;
namespace core = am::detail::core;
namespace seam = am::detail::seam;

// ---- shared state of an epoch ------------------------------------------------------------------

epoch_state::epoch_state(am_rank ranks) : pending_(ranks), published_(ranks) {
  for (am_rank rank = 0; rank < ranks; ++rank) {
    base::fd socket;
    am::detail::check(base::wakeup::create(socket));
    wakeups_.emplace_back(std::move(socket));
  }
}

void epoch_state::put(am_rank rank, std::string_view key, blob value) {
  const std::lock_guard lock(mutex_);
  pending_[rank].insert_or_assign(std::string(key), std::move(value));
}

unsigned epoch_state::arrive() {
  const std::lock_guard lock(mutex_);
  const unsigned fence = fences_passed_;
  if (++arrived_ == pending_.size()) {
    for (std::size_t rank = 0; rank < pending_.size(); ++rank) {
      for (auto& [key, value] : pending_[rank]) published_[rank][key] = std::move(value);
      pending_[rank].clear();
    }
    arrived_ = 0;
    ++fences_passed_;
    for (const base::wakeup& wakeup : wakeups_) wakeup.wake(wakeup.own_name());
  }
  return fence;
}

bool epoch_state::passed(unsigned fence, am_rank rank) {
  const std::lock_guard lock(mutex_);
  wakeups_[rank].clear();
  return fences_passed_ > fence;
}

am_status epoch_state::get(am_rank rank, std::string_view key, blob& value) {
  const std::lock_guard lock(mutex_);
  if (rank >= published_.size())
    return base::fail(AM_ARGUMENT_RANK, "no rank {}: this job has {}", rank, published_.size());
  const auto found = published_[rank].find(key);
  if (found == published_[rank].end())
    return base::fail(AM_ARGUMENT_SETTING, "rank {} has put nothing under {}", rank, key);
  value = found->second;
  return AM_OK;
}

am_status epoch_state::share_memory(std::size_t bytes, std::size_t total_bytes,
                                    base::shared_memory& memory) {
  const std::lock_guard lock(mutex_);
  if (memory_.data() == nullptr) {
    base::fd made;
    if (const am_status status = base::shared_memory::create(made); status != AM_OK) return status;
    if (const am_status status = memory_.map(std::move(made), bytes, total_bytes); status != AM_OK)
      return status;
  }
  return memory.view(memory_);
}

// ---- the boot of a rank ------------------------------------------------------------------------

namespace {

class thread_boot final : public seam::boot {
 public:
  thread_boot(am_rank rank, am_rank ranks, std::shared_ptr<epoch_state> where)
      : rank_(rank), ranks_(ranks), where_(std::move(where)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "threads"; }
  [[nodiscard]] am_rank rank() const noexcept override { return rank_; }
  [[nodiscard]] am_rank ranks() const noexcept override { return ranks_; }

  am_status put(std::string_view key, std::span<const std::byte> blob) override {
    where_->put(rank_, key, {blob.begin(), blob.end()});
    return AM_OK;
  }
  am_status start_fence() override {
    fence_ = where_->arrive();
    return AM_OK;
  }
  am_status fence_done() override {
    return where_->passed(fence_, rank_) ? AM_OK : AM_AGAIN_CONNECTING;
  }
  [[nodiscard]] int fence_descriptor() const noexcept override { return where_->descriptor(rank_); }
  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) override {
    return where_->get(rank, key, blob);
  }
  am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                         base::shared_memory& memory) override {
    return where_->share_memory(bytes, total_bytes, memory);
  }
  [[nodiscard]] std::uint64_t host_id() const noexcept override { return 1; }
  void leave() noexcept override {}
  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept override {
    std::fprintf(stderr, "rank %u aborts: %.*s\n", rank_, static_cast<int>(line.size()),
                 line.data());
    ::_exit(exit_status);
  }

 private:
  const am_rank rank_;
  const am_rank ranks_;
  const std::shared_ptr<epoch_state> where_;
  unsigned fence_ = 0;
};

}  // namespace

// ---- the job ------------------------------------------------------------------------------------

std::shared_ptr<epoch_state> thread_job::epoch_state_of(unsigned round) {
  const std::lock_guard lock(mutex_);
  while (epochs_.size() <= round) epochs_.push_back(std::make_shared<epoch_state>(ranks_));
  return epochs_[round];
}

am::endpoint thread_job::join(am_rank rank) {
  core::endpoint* made = nullptr;
  const am_status status = core::endpoint::join(
      std::make_unique<thread_boot>(rank, ranks_, epoch_state_of(joins_[rank]++)), settings_,
      &made);
  am::detail::check(status);
  return am::endpoint(core::handle_of(made));
}

void thread_job::run(const std::function<rank_body>& body) {
  std::vector<std::thread> threads;
  for (am_rank rank = 0; rank < ranks_; ++rank)
    threads.emplace_back([this, &body, rank] { body(rank, [this, rank] { return join(rank); }); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace am_test
