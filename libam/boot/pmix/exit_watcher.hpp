// Detects that a rank of this host has died, where the launcher lets the others go on and notifies
// none: each rank watches the processes of the others in a thread that sleeps until one ends. The
// thread then ends the job, or notifies its own rank as am-run would (seam::exit_notification), so
// that the next poll finds it.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/boot/pmix/node_group.hpp>
#include <libam/seam/boot.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace am::detail::pmix {

using seam::exit_notification;

// The encoding in which the other ranks get a rank's exit_notification.
std::vector<std::byte> as_blob(const exit_notification& where);
std::optional<exit_notification> read_exit_notification(std::span<const std::byte> blob);

class exit_watcher {
 public:
  // Called in the thread; does not return.
  using end_job = std::function<void(std::size_t dead)>;

  // All pidfds of the node are known. At first a death calls `end`.
  exit_watcher(node_resources& node, std::size_t self, end_job end);
  ~exit_watcher();
  exit_watcher(const exit_watcher&) = delete;
  exit_watcher& operator=(const exit_watcher&) = delete;

  // False and one line: deaths will not be detected.
  bool start(std::string& why);

  // From now on this rank is notified of a death instead. Indexed by local rank; call it once at
  // most.
  void notify_instead(std::vector<exit_notification> exit_notifications) noexcept;
  [[nodiscard]] bool notifies() const noexcept { return notifies_; }

  // This rank ends its endpoint while its process lives on: the others are to take it for dead.
  void report_own_failure() noexcept;

 private:
  void watch_processes() noexcept;
  void notify(std::size_t dead, std::size_t target) const noexcept;

  node_resources& node_;
  const std::size_t self_;
  const end_job end_job_;
  std::vector<exit_notification> exit_notifications_;
  std::atomic<bool> notifies_{false};
  base::fd stop_fd_;
  std::thread thread_;
};

}  // namespace am::detail::pmix
