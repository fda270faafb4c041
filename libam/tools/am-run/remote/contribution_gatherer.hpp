// What the ranks of an agent's host and of those below it put before a fence. It goes up in one
// frame when all have arrived. A rank that is late or dead keeps no other's blobs back for longer
// than most_delay: the job reports which ranks a fence waits for, and passes it without the dead.
#pragma once

#include <am/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::run {

class contribution_gatherer {
 public:
  using clock = std::chrono::steady_clock;
  using sender = std::function<void(std::string frame)>;
  static constexpr std::chrono::milliseconds most_delay{5};

  explicit contribution_gatherer(sender send_up) : send_up_(std::move(send_up)) {}

  // How many ranks can arrive at a fence.
  void expect(std::size_t ranks) { ranks_ = ranks; }
  // One of them has died in this epoch.
  void note_retired(unsigned epoch);

  void add(am_rank rank, unsigned epoch, std::string_view blobs);
  // What has been added goes up although not all have arrived.
  void send();
  // When that is due.
  [[nodiscard]] std::optional<clock::time_point> deadline() const;
  void send_if_due(clock::time_point now);

 private:
  const sender send_up_;
  std::size_t ranks_ = 0;
  std::size_t retired_ = 0;  // in retired_epoch_
  unsigned retired_epoch_ = 0;
  unsigned epoch_ = 0;
  std::string gathered_;  // rank and blobs, of each
  std::size_t count_ = 0;
  clock::time_point since_{};
};

}  // namespace am::detail::run
