#include <libam/boot/pmix/exit_watcher.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/shared_word.hpp>
#include <libam/base/signal_masked_thread.hpp>
#include <libam/base/wakeup.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace am::detail::pmix {

static_assert(std::is_trivially_copyable_v<exit_notification>);

// The ranks of a host are of one architecture.
std::vector<std::byte> as_blob(const exit_notification& where) {
  std::vector<std::byte> blob(sizeof where);
  std::memcpy(blob.data(), &where, sizeof where);
  return blob;
}

std::optional<exit_notification> read_exit_notification(std::span<const std::byte> blob) {
  exit_notification where{};
  if (blob.size() != sizeof where) return std::nullopt;
  std::memcpy(&where, blob.data(), sizeof where);
  return where;
}

exit_watcher::exit_watcher(node_resources& node, std::size_t self, end_job end)
    : node_(node), self_(self), end_job_(std::move(end)) {}

exit_watcher::~exit_watcher() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!::write(stop_fd_.get(), &one, sizeof one);
  thread_.join();
}

bool exit_watcher::start(std::string& why) {
  stop_fd_ = base::fd(::eventfd(0, EFD_CLOEXEC));
  if (!stop_fd_.valid()) {
    why = base::format("eventfd: {}", base::errno_text(errno));
    return false;
  }
  try {
    thread_ = base::start_signal_masked_thread([this] { watch_processes(); });
  } catch (const std::system_error& failure) {
    why = base::format("no thread to watch the other ranks: {}", failure.what());
  }
  return thread_.joinable();
}

void exit_watcher::notify_instead(std::vector<exit_notification> exit_notifications) noexcept {
  exit_notifications_ = std::move(exit_notifications);
  notifies_.store(
      true, std::memory_order_release);  // SYNC(exit_watcher): with the acquire in watch_processes
}

void exit_watcher::watch_processes() noexcept {
  std::vector<pollfd> watched;
  for (std::size_t local_rank = 0; local_rank < node_.pidfds.size(); ++local_rank)
    watched.push_back({local_rank == self_ ? -1 : node_.pidfds[local_rank].get(), POLLIN, 0});
  watched.push_back({stop_fd_.get(), POLLIN, 0});
  while (watched.back().revents == 0) {
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    for (std::size_t local_rank = 0; local_rank + 1 < watched.size(); ++local_rank) {
      if (watched[local_rank].revents == 0) continue;
      watched[local_rank] = {-1, 0, 0};
      // SYNC(rank_table): with the release in pmix_boot::leave. A process that has left may end.
      if (node_.entry_of(local_rank).left.load(std::memory_order_acquire) != 0) continue;
      // SYNC(exit_watcher): with the release in notify_instead. The notifications are there.
      if (notifies_.load(std::memory_order_acquire))
        notify(local_rank, self_);
      else
        end_job_(local_rank);
    }
  }
}

// The dead rank writes no more: its process has ended, or is this one, which has ended its
// endpoint.
void exit_watcher::notify(std::size_t dead, std::size_t target) const noexcept {
  const int memory = node_.memory.get();
  node_.entry_of(dead).dead = 1;
  base::shared_word(memory, exit_notifications_[dead].exit_report).set(1);
  base::shared_word(memory, exit_notifications_[target].attention)
      .set(exit_notifications_[target].bits);
  base::fd socket;
  if (base::wakeup::create(socket) != AM_OK) return;
  const base::wakeup wakeup(std::move(socket));
  wakeup.wake(exit_notifications_[target].wakeup);
  wakeup.wake(node_.entry_of(target).wakeup);
}

void exit_watcher::report_own_failure() noexcept {
  for (std::size_t local_rank = 0; local_rank < exit_notifications_.size(); ++local_rank)
    if (local_rank != self_) notify(self_, local_rank);
}

}  // namespace am::detail::pmix
