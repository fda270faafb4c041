// A boot for tests that step through a protocol: every fence passes at once, and another rank's
// value of a key is what the test sets, or else this rank's own.
#pragma once

#include <libam/base/error.hpp>
#include <libam/seam/boot.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace am_test {

class simulated_boot : public am::detail::seam::boot {
 public:
  using blob = std::vector<std::byte>;

  simulated_boot(am_rank rank, am_rank ranks) : rank_(rank), ranks_(ranks) {}

  // The value of `rank` under `key`, if it differs from this rank's.
  void others_put(am_rank rank, const std::string& key, blob value) {
    others_[{rank, key}] = std::move(value);
  }
  // All ranks share this memory in one thread, and are on one host by it.
  void share(const am::detail::base::shared_memory& memory) { memory_ = &memory; }

  [[nodiscard]] std::string_view name() const noexcept override { return "simulated"; }
  [[nodiscard]] am_rank rank() const noexcept override { return rank_; }
  [[nodiscard]] am_rank ranks() const noexcept override { return ranks_; }
  am_status put(std::string_view key, std::span<const std::byte> value) override {
    ours_[std::string(key)].assign(value.begin(), value.end());
    return AM_OK;
  }
  am_status start_fence() override {
    ++fences;
    return AM_OK;
  }
  am_status fence_done() override { return in_fence ? in_fence() : AM_OK; }
  // Runs in fence_done; AM_AGAIN_CONNECTING: not all ranks have arrived.
  std::function<am_status()> in_fence;

  [[nodiscard]] int fence_descriptor() const noexcept override {
    if (before_sleep) before_sleep();
    return -1;
  }
  std::function<void()> before_sleep;  // called before a rank sleeps in a fence

  am_status get(am_rank rank, std::string_view key, blob& value) override {
    if (const auto found = others_.find({rank, std::string(key)}); found != others_.end()) {
      value = found->second;
      return AM_OK;
    }
    const auto found = ours_.find(std::string(key));
    if (found == ours_.end()) return am::detail::base::fail(AM_ARGUMENT_SETTING, "no {}", key);
    value = found->second;
    return AM_OK;
  }
  am_status share_memory(std::size_t, std::size_t,
                         am::detail::base::shared_memory& memory) override {
    if (memory_ == nullptr) return am::detail::base::fail(AM_RESOURCE_MEMORY, "no memory here");
    return memory.view(*memory_);
  }
  [[nodiscard]] std::uint64_t host_id() const noexcept override {
    return memory_ == nullptr ? host : reinterpret_cast<std::uintptr_t>(memory_->data());
  }
  void request_exit_notification(
      const am::detail::seam::exit_notification& where) noexcept override {
    watched = where;
  }
  void leave() noexcept override {}
  [[noreturn]] void abort(int, std::string_view) noexcept override { std::abort(); }

  std::uint64_t host = 1;  // where there is no memory
  unsigned fences = 0;
  am::detail::seam::exit_notification watched{};

 private:
  const am_rank rank_;
  const am_rank ranks_;
  const am::detail::base::shared_memory* memory_ = nullptr;
  std::map<std::string, blob> ours_;
  std::map<std::pair<am_rank, std::string>, blob> others_;
};

}  // namespace am_test
