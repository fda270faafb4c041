#include <libam/boot/pmix/session.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/library_start_guard.hpp>
#include <libam/base/log.hpp>
#include <libam/base/signal_masked_thread.hpp>
#include <libam/boot/pmix/with_timeout.hpp>

#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace am::detail::pmix {

// What a session begins with; `failed` is the call that has failed, or null.
struct session::init_result {
  pmix_proc_t self{};
  am_rank ranks = 0;
  std::vector<am_rank> local_ranks;
  const char* failed = nullptr;
  pmix_status_t status = PMIX_SUCCESS;
};

namespace {

std::atomic<session*> current_session{nullptr};
std::atomic<bool> session_ended{false};

std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "this one";
}

// "0,1,4-7"
std::vector<am_rank> read_ranks(std::string_view text) {
  std::vector<am_rank> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    am_rank first = 0;
    auto read = std::from_chars(at, end, first);
    am_rank last = first;
    if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc{}) break;
    for (am_rank rank = first; rank <= last; ++rank) ranks.push_back(rank);
    at = read.ptr == end ? end : read.ptr + 1;
  }
  std::ranges::sort(ranks);
  return ranks;
}

// A value of the whole job; null if the launcher has none.
pmix_value_t* get_job_value(const pmix_proc_t& self, const char* key, pmix_status_t& status) {
  pmix_proc_t all = self;
  all.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* value = nullptr;
  status = PMIx_Get(&all, key, nullptr, 0, &value);
  return status == PMIX_SUCCESS ? value : nullptr;
}

void release(pmix_value_t* value) { PMIX_VALUE_RELEASE(value); }

}  // namespace

session* session::enter(std::string& why) {
  static std::mutex enter_mutex;
  const std::lock_guard alone(enter_mutex);
  if (current_session == nullptr) current_session = start(why);
  session* const current = current_session;
  if (current == nullptr) return nullptr;
  const char* const refused =
      session_ended
          ? "this process has left the job before, and the launcher does not let it join again"
      : current->is_forked() ? "the parent of this process has its place in the job"
      : current->in_job_
          ? "this process has joined the job already, and can do so once: close that endpoint first"
          : nullptr;
  if (refused != nullptr) {
    why = base::format("join: {}", refused);
    return nullptr;
  }
  current->in_job_ = true;
  return current;
}

session* session::start(std::string& why) {
  base::fd event_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event_fd.valid()) {
    why = base::format("join: eventfd: {}", base::errno_text(errno));
    return nullptr;
  }
  const base::library_start_guard start_guard;
  auto begun = call_with_timeout([] {
    init_result got;
    got.failed = "PMIx_Init";
    if ((got.status = PMIx_Init(&got.self, nullptr, 0)) != PMIX_SUCCESS) return got;
    // Without a handler a rank would never learn that its launcher is gone.
    pmix_status_t loss_codes[] = {PMIX_ERR_LOST_CONNECTION, PMIX_ERR_UNREACH};
    const pmix_status_t registered = PMIx_Register_event_handler(
        loss_codes, std::size(loss_codes), nullptr, 0, &session::on_server_event, nullptr, nullptr);
    got.failed = "PMIx_Register_event_handler";
    if ((got.status = std::min(registered, PMIX_SUCCESS)) != PMIX_SUCCESS) return got;
    got.failed = "PMIx_Get of the number of ranks";
    pmix_value_t* const size = get_job_value(got.self, PMIX_JOB_SIZE, got.status);
    if (size == nullptr) return got;
    got.ranks = size->data.uint32;
    release(size);
    pmix_status_t unknown = PMIX_SUCCESS;
    if (pmix_value_t* const peers = get_job_value(got.self, PMIX_LOCAL_PEERS, unknown)) {
      if (peers->type == PMIX_STRING) got.local_ranks = read_ranks(peers->data.string);
      release(peers);
    }
    got.failed = nullptr;
    return got;
  });
  const std::string host = host_name();
  if (!begun) {
    why = base::format(
        "join: the PMIx server of host {} has not answered for {} s: is the launcher stopped?",
        host, answer_timeout.count());
    return nullptr;
  }
  if (begun->failed != nullptr) {
    why = base::format(
        "join: {} failed on host {}: {}: start the job with mpirun of Open MPI or "
        "`srun --mpi=pmix`, which have a PMIx server, or with am-run, which needs none",
        begun->failed, host, PMIx_Error_string(begun->status));
    return nullptr;
  }
  if (!std::ranges::binary_search(begun->local_ranks, begun->self.rank))
    begun->local_ranks = {begun->self.rank};
  std::atexit([] { at_exit(); });
  return new session(std::move(*begun), std::move(event_fd));  // never deleted: PMIx may call it
}

session::session(init_result&& begun, base::fd event_fd)
    : self_(begun.self),
      ranks_(begun.ranks),
      local_ranks_(std::move(begun.local_ranks)),
      host_(host_name()),
      event_fd_(std::move(event_fd)),
      pid_(::getpid()),
      steps_(std::getenv("PMIX_SERVER_TMPDIR"), self_.nspace, self_.rank, local_ranks_),
      all_ranks_(self_) {
  all_ranks_.rank = PMIX_RANK_WILDCARD;
  const bool yes = true;
  PMIX_INFO_LOAD(&fence_info_, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
}

bool session::is_forked() const noexcept { return ::getpid() != pid_; }

// ---- the end ------------------------------------------------------------------------------------

void session::leave() noexcept {
  in_job_ = false;
  if (exiting_) finalize();
}

void session::abandon_job() noexcept {
  in_job_ = false;
  session_ended = true;
  finalize();
}

// A process that ends without leaving has died, and the launcher is to see that: no PMIx_Finalize.
void session::at_exit() noexcept {
  session& self = *current_session;
  if (self.is_forked() || session_ended) return;
  while (self.aborting_) ::pause();
  self.exiting_ = true;  // a static endpoint may leave after this
  if (!self.in_job_) self.finalize();
}

void session::finalize() noexcept {
  if (!is_forked() && !server_lost_)
    (void)call_with_timeout([] { return PMIx_Finalize(nullptr, 0); });
}

void session::abort(int exit_status, std::string_view line) noexcept {
  // Flush before the launcher kills this rank, too; but another thread may hold a stream for ever.
  constexpr std::chrono::seconds to_write{1};
  (void)call_with_timeout([] { return std::fflush(nullptr); }, to_write);
  if (!is_forked() && !server_lost_)
    (void)call_with_timeout([exit_status, text = std::string(line)] {
      return PMIx_Abort(exit_status, text.c_str(), nullptr, 0);
    });
  ::_exit(exit_status);
}

void session::abort_soon(std::string line) noexcept {
  aborting_ = true;
  const auto later = [this, line = std::move(line)] {
    constexpr std::chrono::seconds to_explain{1};
    std::this_thread::sleep_for(to_explain);
    base::log_line(base::log_level::error, line);
    abort(1, line);
  };
  try {
    base::start_signal_masked_thread(later).detach();
  } catch (const std::system_error&) {
    later();
  }
}

// In PMIx's thread. It may be called for a lost rank, too, about which the launcher decides.
void session::on_server_event(std::size_t, pmix_status_t, const pmix_proc_t* source, pmix_info_t*,
                              std::size_t, pmix_info_t*, std::size_t,
                              pmix_event_notification_cbfunc_fn_t then, void* data) {
  session* const self = current_session;
  if (self != nullptr && source != nullptr &&
      std::strncmp(source->nspace, self->self_.nspace, PMIX_MAX_NSLEN) != 0)
    self->on_server_lost();
  if (then != nullptr) then(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, data);
}

// No other process would end this rank: its launcher has ended.
void session::on_server_lost() noexcept {
  server_lost_ = true;
  if (!in_job_) return;
  base::log(base::log_level::error,
            "the launcher is gone (its PMIx server on host {}): this rank ends", host_);
  ::_exit(1);
}

}  // namespace am::detail::pmix
