#include <libam/base/build.hpp>
#include <libam/base/cpus.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <libam/boot/pmix/exit_watcher.hpp>
#include <libam/boot/pmix/key_store.hpp>
#include <libam/boot/pmix/node_fence.hpp>
#include <libam/boot/pmix/node_group.hpp>
#include <libam/boot/pmix/pmix.hpp>
#include <libam/boot/pmix/recovery.hpp>
#include <libam/boot/pmix/session.hpp>
#include <libam/boot/pmix/with_timeout.hpp>
#include <libam/seam/blobs.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

namespace am::detail::pmix {

namespace {

// How long a launcher may take to end a job in which a rank has died.
constexpr std::chrono::seconds launcher_abort_timeout{5};

// libam's own keys; those of programs begin differently.
constexpr std::string_view secret_key = "pmix.secret";  // of rank 0
constexpr std::string_view build_key = "pmix.build";    // of every rank
constexpr std::string_view cpus_key = "pmix.cpus";
constexpr std::string_view listener_key = "pmix.listener";  // of the first rank of a host
constexpr std::string_view node_key = "pmix.node";          // of each rank with its node_resources
constexpr std::string_view exit_notification_key = "pmix.exit_notification";

class pmix_boot final : public seam::boot {
 public:
  pmix_boot(session& server, unsigned join_number, const base::settings& settings)
      : server_(server),
        reports_failures_(settings.outlives_deaths),
        watches_exits_(mpirun_recovers()),
        folder_(settings.shm_dir),
        warn_after_(settings.stall_warn),
        key_store_(server, join_number) {}
  ~pmix_boot() override;

  [[nodiscard]] bool watches_exits() const noexcept { return watches_exits_; }

  // All ranks call it before any of them uses the rest. False and one line: it has failed.
  bool begin(std::string& why);

  [[nodiscard]] std::string_view name() const noexcept override { return "pmix"; }
  [[nodiscard]] am_rank rank() const noexcept override { return server_.rank(); }
  [[nodiscard]] am_rank ranks() const noexcept override { return server_.ranks(); }
  [[nodiscard]] am_rank ranks_here() const noexcept override {
    return static_cast<am_rank>(server_.local_ranks().size());
  }
  [[nodiscard]] unsigned cpus() const override { return base::limit_to_quota(cpus_); }

  am_status put(std::string_view key, std::span<const std::byte> blob) override {
    return key_store_.put(key, blob);
  }
  am_status start_fence() override;
  am_status fence_done() override;
  [[nodiscard]] int fence_descriptor() const noexcept override {
    return node_fence_ ? node_fence_->descriptor() : server_.fence_descriptor();
  }
  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) override {
    return key_store_.get(rank, key, blob);
  }
  am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                         base::shared_memory& memory) override;
  [[nodiscard]] std::uint64_t host_id() const noexcept override { return node_.host_id; }
  [[nodiscard]] const seam::job_secret* secret() const noexcept override { return &secret_; }
  base::fd wakeup_socket() override { return std::move(node_.wakeup); }
  void request_exit_notification(const seam::exit_notification& where) noexcept override {
    if (watches_exits_ && reports_failures_)
      (void)key_store_.put(exit_notification_key, as_blob(where));
  }
  void leave() noexcept override;
  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept override {
    server_.abort(exit_status, line);
  }

 private:
  bool publish_own_keys(node_listener& listener, std::string& why);
  bool wait_for_fence(std::string& why);
  bool read_peer_keys(std::string& why);
  bool set_up_node_group(const node_listener& listener, std::string& why);
  bool start_exit_watcher();
  am_status choose_fence();
  am_status find_key(am_rank whose, std::string_view key, std::vector<std::byte>& blob,
                     bool& found);
  [[nodiscard]] std::size_t own_local_rank() const noexcept {
    return local_rank_of(server_.local_ranks(), rank());
  }

  session& server_;
  const bool reports_failures_;  // deaths do not end the job
  const bool watches_exits_;     // the launcher does not; then all ranks are on this host
  const std::string folder_;
  const std::chrono::seconds warn_after_;
  key_store key_store_;
  unsigned cpus_ = 1;
  seam::job_secret secret_{};
  node_resources node_;
  std::string no_node_reason_;  // why node_ is empty
  bool joining_ = true;         // begin() has yet to return
  bool fence_chosen_ = false;   // choose_fence() was called
  bool left_ = false;
  std::unique_ptr<exit_watcher> exit_watcher_;
  std::optional<node_fence> node_fence_;
};

// ---- joining ------------------------------------------------------------------------------------

bool pmix_boot::begin(std::string& why) {
  node_listener listener;
  if (!publish_own_keys(listener, why) || !wait_for_fence(why) || !read_peer_keys(why) ||
      !set_up_node_group(listener, why))
    return false;
  joining_ = false;
  return true;
}

bool pmix_boot::publish_own_keys(node_listener& listener, std::string& why) {
  am_status status = key_store_.put(build_key, seam::as_bytes(base::build_version()));
  if (status == AM_OK && rank() == 0) {
    if (!base::fill_with_secret(secret_)) {
      why = base::format("join: no secret for the job: {}", base::errno_text(errno));
      return false;
    }
    status = key_store_.put(secret_key, secret_);
  }
  const std::vector<unsigned> cpus = base::allowed_cpus();
  if (status == AM_OK) status = key_store_.put(cpus_key, std::as_bytes(std::span(cpus)));
  if (status == AM_OK && rank() == server_.local_ranks().front() &&
      server_.local_ranks().size() > 1) {
    status = node_listener::listen(listener);
    const std::uint64_t name = listener.name();
    if (status == AM_OK) status = key_store_.put(listener_key, std::as_bytes(std::span(&name, 1)));
  }
  if (status != AM_OK) why = base::error_text();
  return status == AM_OK;
}

// The others may take any time; a warning says once that they are waited for.
bool pmix_boot::wait_for_fence(std::string& why) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  bool warned = false;
  am_status status = start_fence();
  while (status == AM_OK && (status = fence_done()) == AM_AGAIN_CONNECTING) {
    status = AM_OK;
    constexpr int a_second = 1000;
    pollfd event{fence_descriptor(), POLLIN, 0};
    (void)::poll(&event, 1, a_second);
    if (warned || clock::now() - start < answer_timeout) continue;
    warned = true;
    base::log(base::log_level::warn,
              "join: for {} s on host {} not all of {} ranks have come: does one not call join?",
              answer_timeout.count(), server_.host(), ranks());
  }
  if (status != AM_OK) why = base::format("join: {}", base::error_text());
  return status == AM_OK;
}

bool pmix_boot::read_peer_keys(std::string& why) {
  std::vector<std::byte> blob;
  const auto read = [&](am_rank from, std::string_view key) {
    if (key_store_.get(from, key, blob) == AM_OK) return true;
    why = base::format("join: {}", base::error_text());
    return false;
  };
  // Shared memory, and all that follows, requires one build.
  for (am_rank each = 0; each < ranks(); ++each) {
    if (!read(each, build_key)) return false;
    const std::string_view theirs(reinterpret_cast<const char*>(blob.data()), blob.size());
    if (theirs == base::build_version()) continue;
    why =
        base::format("join: rank {} is of libam {}, and this is libam {}: give all ranks the same",
                     each, theirs, base::build_version());
    return false;
  }
  if (!read(0, secret_key)) return false;
  if (blob.size() != secret_.size()) {
    why = base::format("join: the secret of rank 0 has {} bytes, not {}", blob.size(),
                       secret_.size());
    return false;
  }
  std::ranges::copy(blob, secret_.begin());
  std::set<unsigned> cpus;
  for (const am_rank each : server_.local_ranks()) {
    if (!read(each, cpus_key)) return false;
    for (std::size_t at = 0; at + sizeof(unsigned) <= blob.size(); at += sizeof(unsigned)) {
      unsigned number = 0;
      std::memcpy(&number, blob.data() + at, sizeof number);
      cpus.insert(number);
    }
  }
  cpus_ = static_cast<unsigned>(cpus.size());
  return true;
}

// Without node resources shm reports why it is not used, and another transport is. But where ranks
// have to watch for deaths, the join fails without them.
bool pmix_boot::set_up_node_group(const node_listener& listener, std::string& why) {
  const node_group group{server_.local_ranks(), rank(), secret_, watches_exits_};
  std::vector<std::byte> blob;
  std::uint64_t name = 0;
  bool joined = false;
  if (rank() == group.ranks.front()) {
    joined = serve_node_group(listener, group, folder_, node_, no_node_reason_);
  } else if (key_store_.get(group.ranks.front(), listener_key, blob) == AM_OK &&
             blob.size() == sizeof name) {
    std::memcpy(&name, blob.data(), sizeof name);
    joined = join_node_group(name, group, node_, no_node_reason_);
  } else {
    no_node_reason_ = base::error_text();
  }
  if (watches_exits_ && (!joined || !start_exit_watcher())) {
    why = base::format(
        "join: mpirun lets the others go on when a rank dies (--enable-recovery), but {}: start it "
        "without",
        no_node_reason_.empty() ? "the ranks of this host cannot watch each other (all of them "
                                  "need pidfds, of Linux 5.3)"
                                : no_node_reason_);
    return false;
  }
  if (joined) (void)key_store_.put(node_key, {});
  return true;
}

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
  if (!node_fence_) return server_.start_fence();
  node_fence_->arrive();
  return AM_OK;
}

am_status pmix_boot::fence_done() {
  bool complete = true;
  if (node_fence_ && !node_fence_->try_complete()) return AM_AGAIN_CONNECTING;
  if (!node_fence_) {
    if (const am_status status = server_.fence_done(complete); status != AM_OK) return status;
  }
  key_store_.on_fence_passed();
  if (!complete) {
    // Mostly the launcher then ends the job, and reports why.
    std::this_thread::sleep_for(launcher_abort_timeout);
    return base::fail(AM_PEER_LOST, "fence: a rank has ended without coming to it");
  }
  return joining_ || fence_chosen_ ? AM_OK : choose_fence();
}

am_status pmix_boot::find_key(am_rank whose, std::string_view key, std::vector<std::byte>& blob,
                              bool& found) {
  const am_status status = key_store_.get(whose, key, blob);
  found = status == AM_OK;
  return status == AM_ARGUMENT_SETTING ? AM_OK : status;  // it has not put any
}

// After the first fence behind begin(). All ranks find the same, and so decide the same.
am_status pmix_boot::choose_fence() {
  fence_chosen_ = true;
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
  node_fence_.emplace(node_, ranks(), own_local_rank(), warn_after_);
  return node_fence_->open();
}

// A death before all have chosen to be notified ends the job in any case.
bool pmix_boot::start_exit_watcher() {
  if (!std::ranges::all_of(node_.pidfds, [](const base::fd& one) { return one.valid(); }))
    return false;
  exit_watcher_ = std::make_unique<exit_watcher>(node_, own_local_rank(), [this](std::size_t dead) {
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
  left_ = true;
  // SYNC(rank_table): with the acquire in exit_watcher::watch_processes. No rank takes the end of
  // this process for a death.
  if (node_.rank_table.data() != nullptr)
    node_.entry_of(own_local_rank()).left.store(1, std::memory_order_release);
  exit_watcher_.reset();
  server_.leave();
}

// Without leave() this rank counts as dead. A launcher sees that only when the process ends; so
// either the others are notified here, or the job is ended when this rank has had time to report
// why.
pmix_boot::~pmix_boot() {
  if (left_) return;
  if (exit_watcher_ != nullptr && exit_watcher_->notifies()) {
    exit_watcher_->report_own_failure();
    exit_watcher_.reset();
    server_.abandon_job();
    return;
  }
  server_.abort_soon("this rank has given up its endpoint: the job ends");
}

}  // namespace

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
  auto made = std::make_unique<pmix_boot>(*server, server->count_join(), settings);
  if (!made->begin(why)) return nullptr;
  if (settings.outlives_deaths && !made->watches_exits() && server->rank() == 0)
    base::log(
        base::log_level::warn,
        "AM_ON_PEER_DEATH=callback, but here the launcher ends the job when a rank dies: only "
        "am-run, and `mpirun --enable-recovery` on one host, do not");
  return made;
}

}  // namespace am::detail::pmix
