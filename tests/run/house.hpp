// am-run's server in a thread of its own, and ways to talk to it.
#pragma once

#include <libam/boot/run/protocol.hpp>
#include <libam/seam/boot.hpp>
#include <libam/tools/am-run/server.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace am::test {

class house final : private detail::run::server_listener {
 public:
  explicit house(am_rank ranks);
  ~house();

  [[nodiscard]] int door(am_rank rank) const { return doors_[rank].get(); }

  // As a process of that rank would. Null and one line, if that is wanted, when it is refused.
  std::unique_ptr<detail::seam::boot> join(am_rank rank, std::string* why = nullptr);
  std::vector<std::unique_ptr<detail::seam::boot>> join_all();

  // Waits until the server has told this to the job; false after some seconds.
  bool heard(std::string_view event);
  bool heard_yet(std::string_view event);

  // As am-run does when `rank` has died and the others go on: what the server says.
  bool bury(am_rank rank);

  // As if a minute had passed.
  void advance_stalls();

 private:
  void joined(am_rank) override {}
  void lost(am_rank rank) override;
  void aborted(am_rank rank, int exit_status, std::string line) override;
  void failed(int exit_status, std::string line) override;
  void stalled(std::string line) override;
  void note(std::string event);

  detail::run::event_loop loop_;
  detail::run::server server_;
  std::vector<detail::base::fd> doors_;
  std::mutex lock_;
  std::vector<std::string> events_;
  std::atomic<bool> advance_{false};
  static constexpr int nobody = -1;
  static constexpr int not_yet = -1;
  std::atomic<int> to_bury_{nobody};
  std::atomic<int> buried_{not_yet};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// One who says hello, and then what he likes. He has no lifeline.
class stranger {
 public:
  stranger(int door, std::uint32_t version);
  void say(std::string_view bytes);
  // The next frame, or nothing if the server has hung up.
  std::optional<std::pair<detail::boot::frame_kind, std::string>> answer();
  bool hung_up() { return !answer(); }

 private:
  detail::base::fd conversation_;
  detail::boot::frame_reader reader_{detail::boot::most_fenced_bytes};
};

}  // namespace am::test
