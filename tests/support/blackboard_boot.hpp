// A way of joining for tests that step through a protocol by hand: every fence is passed at once,
// and the other ranks have put what the test says they have, or else what this rank has.
#pragma once

#include <libam/base/error.hpp>
#include <libam/seam/boot.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace am_test {

class blackboard_boot : public am::detail::seam::boot {
 public:
  using blob = std::vector<std::byte>;

  blackboard_boot(am_rank rank, am_rank ranks) : rank_(rank), ranks_(ranks) {}

  // What `rank` has put under `key`, if it differs from what this rank has.
  void others_put(am_rank rank, const std::string& key, blob value) {
    others_[{rank, key}] = std::move(value);
  }
  // All ranks are in one thread over this memory.
  void share(const am::detail::base::shared_memory& memory) { memory_ = &memory; }

  [[nodiscard]] std::string_view name() const noexcept override { return "blackboard"; }
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
  std::function<am_status()>
      in_fence;  // what happens in one: AM_AGAIN_CONNECTING, not all are there

  [[nodiscard]] int fence_descriptor() const noexcept override {
    if (before_sleep) before_sleep();
    return -1;
  }
  std::function<void()> before_sleep;  // a rank in a fence asks for the descriptor to sleep on it

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
  void watch_for_deaths(const am::detail::seam::deathwatch& where) noexcept override {
    watched = where;
  }
  void leave() noexcept override {}
  [[noreturn]] void abort(int, std::string_view) noexcept override { std::abort(); }

  unsigned fences = 0;
  am::detail::seam::deathwatch watched{};

 private:
  const am_rank rank_;
  const am_rank ranks_;
  const am::detail::base::shared_memory* memory_ = nullptr;
  std::map<std::string, blob> ours_;
  std::map<std::pair<am_rank, std::string>, blob> others_;
};

}  // namespace am_test
