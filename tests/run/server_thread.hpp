// am-run's server in a thread of its own, and its clients.
#pragma once

#include <libam/boot/run/protocol.hpp>
#include <libam/seam/boot.hpp>
#include <libam/tools/am-run/job/epochs.hpp>
#include <libam/tools/am-run/ranks/rank_server.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace am_test {

class server_thread final : private am::detail::run::rank_events {
 public:
  explicit server_thread(am_rank ranks)
      : server_thread(am::detail::run::rank_set::block(0, ranks, ranks)) {}
  // The ranks of one host of a larger job: rank 0 of the calls below is the first of them.
  explicit server_thread(const am::detail::run::rank_set& ranks);
  ~server_thread();

  [[nodiscard]] int join_socket(am_rank rank) const { return join_sockets_[rank].get(); }

  // As a process of that rank would. Null when it is refused, with the reason in `why`.
  std::unique_ptr<am::detail::seam::boot> join(am_rank rank, std::string* why = nullptr);
  std::vector<std::unique_ptr<am::detail::seam::boot>> join_all();

  // Waits until the server has reported this event to the job; false after some seconds.
  bool wait_for_event(std::string_view event);
  bool has_event(std::string_view event);

  // As am-run does when `rank` has died and the others continue; returns whether they can.
  bool retire_rank(am_rank rank);

  // As if a minute had passed.
  void advance_stalls();

 private:
  void on_secret_wanted(unsigned epoch) override { epochs_.draw_secret(epoch); }
  void on_joined(am_rank rank, unsigned epoch, pid_t pid) override {
    epochs_.note_joined(rank, epoch, pid);
  }
  void on_contributed(am_rank rank, unsigned epoch, std::string blobs) override {
    epochs_.contribute(rank, epoch, std::move(blobs));
  }
  void on_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report) override {
    epochs_.note_watching(rank, epoch, exit_report);
  }
  void on_left(am_rank rank, unsigned epoch) override { epochs_.note_left(rank, epoch); }
  void on_lost(am_rank rank) override;
  void on_aborted(am_rank rank, int exit_status, std::string line) override;
  void on_failed(int exit_status, std::string line) override;
  void note(std::string event);

  am::detail::run::event_loop loop_;
  am::detail::run::rank_server server_;
  am::detail::run::epochs epochs_;
  std::vector<am::detail::base::fd> join_sockets_;
  std::mutex lock_;
  std::vector<std::string> events_;
  std::atomic<bool> advance_{false};
  static constexpr int no_rank = -1;
  static constexpr int not_yet = -1;
  std::atomic<int> to_retire_{no_rank};
  std::atomic<int> retired_{not_yet};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A client that sends a hello, and then anything. It has no lifeline.
class raw_client {
 public:
  raw_client(int join_socket, std::uint32_t version);
  void send(std::string_view bytes);
  // The next frame, or nothing if the server has closed the connection.
  std::optional<std::pair<am::detail::boot::frame_kind, std::string>> receive_frame();
  bool is_closed() { return !receive_frame(); }

 private:
  am::detail::base::fd connection_;
  am::detail::boot::frame_reader reader_{am::detail::boot::most_fenced_bytes};
};

}  // namespace am_test
