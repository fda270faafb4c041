#include <libam/boot/pmix/pmix.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/boot/pmix/pmix_boot.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

namespace am::detail::pmix {
namespace {

// How long a launcher may take to end a job in which a rank has died.
constexpr std::chrono::seconds launcher_abort_timeout{5};

std::size_t own_local_rank(const session& server) {
  return local_rank_of(server.local_ranks(), server.rank());
}

}  // namespace

am_status pmix_boot::share_memory(std::size_t bytes, std::size_t total_bytes,
                                  base::shared_memory& memory) {
  if (!node_.memory.valid()) return base::fail(AM_RESOURCE_MEMORY, "{}", no_node_reason_);
  base::fd own(::fcntl(node_.memory.get(), F_DUPFD_CLOEXEC, 0));
  if (!own.valid())
    return base::fail(AM_RESOURCE_DESCRIPTORS, "shared memory: dup: {}", base::errno_text(errno));
  return memory.map(std::move(own), bytes, total_bytes);
}

// ---- fences and deaths --------------------------------------------------------------------------

am_status pmix_boot::start_fence() {
  if (const am_status status = key_store_.commit(); status != AM_OK) return status;
  if (!node_fence_) return file_fence_ ? file_fence_->arrive() : server_.start_fence();
  node_fence_->arrive();
  return AM_OK;
}

am_status pmix_boot::fence_done() {
  bool complete = true;
  if (node_fence_ ? !node_fence_->try_complete() : file_fence_ && !file_fence_->try_complete())
    return AM_AGAIN_CONNECTING;
  if (!node_fence_ && !file_fence_) {
    if (const am_status status = server_.fence_done(complete); status != AM_OK) return status;
  }
  key_store_.on_fence_passed();
  if (!complete) {
    // Mostly the launcher then ends the job, and reports why.
    std::this_thread::sleep_for(launcher_abort_timeout);
    return base::fail(AM_PEER_LOST, "fence: a rank has ended without coming to it");
  }
  return stage_ == stage::joined ? choose_fence() : AM_OK;
}

am_status pmix_boot::find_key(am_rank whose, std::string_view key, std::vector<std::byte>& blob,
                              bool& found) {
  const am_status status = key_store_.get(whose, key, blob);
  found = status == AM_OK;
  return status == AM_ARGUMENT_SETTING ? AM_OK : status;  // it has not put any
}

// After the first fence behind begin(). All ranks find the same, and so decide the same.
am_status pmix_boot::choose_fence() {
  stage_ = stage::fence_chosen;
  if (!one_host()) return AM_OK;
  am_rank ready = 0;
  std::vector<exit_notification> exit_notifications;
  std::vector<std::byte> blob;
  for (am_rank each = 0; each < ranks(); ++each) {
    bool found = false;
    if (const am_status status = find_key(each, node_key, blob, found); status != AM_OK)
      return status;
    ready += found;
    if (const am_status status = find_key(each, exit_notification_key, blob, found);
        status != AM_OK)
      return status;
    if (const auto notification = found ? read_exit_notification(blob) : std::nullopt)
      exit_notifications.push_back(*notification);
  }
  if (ready != ranks()) return AM_OK;
  // If a rank has no memory for notifications, no rank is notified, and the first death ends the
  // job.
  if (exit_watcher_ && reports_failures_ && exit_notifications.size() == ranks())
    exit_watcher_->notify_instead(std::move(exit_notifications));
  node_fence_.emplace(node_, ranks(), own_local_rank(server_), warn_after_);
  return node_fence_->open();
}

// A death before all have chosen to be notified ends the job in any case.
bool pmix_boot::start_exit_watcher() {
  if (!std::ranges::all_of(node_.pidfds, [](const base::fd& one) { return one.valid(); }))
    return false;
  exit_watcher_ =
      std::make_unique<exit_watcher>(node_, own_local_rank(server_), [this](std::size_t dead) {
        const std::string line =
            base::format("rank {} has died: the job ends", server_.local_ranks()[dead]);
        base::log_line(base::log_level::error, line);
        server_.abort(1, line);
      });
  if (exit_watcher_->start(no_node_reason_)) return true;
  exit_watcher_.reset();
  return false;
}

// ---- leaving ------------------------------------------------------------------------------------

void pmix_boot::leave() noexcept {
  stage_ = stage::left;
  // SYNC(rank_table): with the acquire in exit_watcher::watch_processes. No rank takes the end of
  // this process for a death.
  if (node_.rank_table.data() != nullptr)
    node_.entry_of(own_local_rank(server_)).left.store(1, std::memory_order_release);
  exit_watcher_.reset();
  server_.leave();
}

// Without leave() this rank counts as dead. A launcher sees that only when the process ends; so
// either the others are notified here, or the job is ended when this rank has had time to report
// why.
pmix_boot::~pmix_boot() {
  if (stage_ == stage::left) return;
  if (exit_watcher_ != nullptr && exit_watcher_->notifies()) {
    exit_watcher_->report_own_failure();
    exit_watcher_.reset();
    server_.abandon_job();
    return;
  }
  server_.abort_soon(stage_ == stage::joining
                         ? "this rank cannot join: the job ends"
                         : "this rank has given up its endpoint: the job ends");
}

std::unique_ptr<seam::boot> join(const base::settings& settings, std::string& why) {
  session* const server = session::enter(why);
  if (server == nullptr) return nullptr;
  base::set_log(settings.log, server->rank());  // this module has a log of its own
  if (mpirun_recovers() && server->local_ranks().size() != server->ranks()) {
    why =
        "join: mpirun lets the others go on when a rank dies (--enable-recovery), but on several "
        "hosts they would not be notified: start it without";
    server->leave();
    return nullptr;
  }
  const am_status counted = server->steps().step();
  if (counted != AM_OK) why = base::error_text();
  auto made = std::make_unique<pmix_boot>(*server, settings);
  if (counted != AM_OK || !made->begin(why)) return nullptr;
  if (settings.outlives_deaths && !made->watches_exits() && server->rank() == 0)
    base::log(
        base::log_level::warn,
        "AM_ON_PEER_DEATH=callback, but here the launcher ends the job when a rank dies: only "
        "am-run, and `mpirun --enable-recovery` on one host, do not");
  return made;
}

}  // namespace am::detail::pmix
