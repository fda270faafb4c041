#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/house_rules.hpp>
#include <libam/base/log.hpp>
#include <libam/base/quiet_thread.hpp>
#include <libam/base/why.hpp>
#include <libam/boot/pmix/in_time.hpp>
#include <libam/boot/pmix/session.hpp>

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

// What a session begins with; `failed` is the call that did, if one has.
struct session::beginning {
  pmix_proc_t self{};
  am_rank ranks = 0;
  std::vector<am_rank> here;
  const char* failed = nullptr;
  pmix_status_t status = PMIX_SUCCESS;
};

namespace {

std::atomic<session*> the_one{nullptr};
std::atomic<bool> is_over{false};

std::string name_of_host() {
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

// Of the whole job; null if the launcher does not say.
pmix_value_t* about_job(const pmix_proc_t& self, const char* key, pmix_status_t& status) {
  pmix_proc_t all = self;
  all.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* value = nullptr;
  status = PMIx_Get(&all, key, nullptr, 0, &value);
  return status == PMIX_SUCCESS ? value : nullptr;
}

void release(pmix_value_t* value) { PMIX_VALUE_RELEASE(value); }

}  // namespace

session* session::enter(std::string& why) {
  static std::mutex one_enters;
  const std::lock_guard alone(one_enters);
  if (the_one == nullptr) the_one = begin(why);
  session* const here = the_one;
  if (here == nullptr) return nullptr;
  const char* const refused =
      is_over ? "this process has given its place in the job up before, and the launcher does not "
                "give it back"
      : here->is_forked() ? "the place in the job is that of the parent of this process"
      : here->inside_ ? "this process is in the job already, and has one place in it: close that "
                        "endpoint first"
                      : nullptr;
  if (refused != nullptr) {
    why = base::format("join: {}", refused);
    return nullptr;
  }
  here->inside_ = true;
  ++here->joins_;
  return here;
}

session* session::begin(std::string& why) {
  base::fd news(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!news.valid()) {
    why = base::format("join: eventfd: {}", base::why(errno));
    return nullptr;
  }
  const base::house_rules while_it_starts;
  auto begun = in_time([] {
    beginning got;
    got.failed = "PMIx_Init";
    if ((got.status = PMIx_Init(&got.self, nullptr, 0)) != PMIX_SUCCESS) return got;
    // Without somebody who listens, a rank would never hear that its launcher is gone.
    pmix_status_t gone[] = {PMIX_ERR_LOST_CONNECTION, PMIX_ERR_UNREACH};
    const pmix_status_t registered = PMIx_Register_event_handler(gone, std::size(gone), nullptr, 0,
                                                                 &session::hear, nullptr, nullptr);
    got.failed = "PMIx_Register_event_handler";
    if ((got.status = std::min(registered, PMIX_SUCCESS)) != PMIX_SUCCESS) return got;
    got.failed = "PMIx_Get of the number of ranks";
    pmix_value_t* const size = about_job(got.self, PMIX_JOB_SIZE, got.status);
    if (size == nullptr) return got;
    got.ranks = size->data.uint32;
    release(size);
    pmix_status_t unknown = PMIX_SUCCESS;
    if (pmix_value_t* const peers = about_job(got.self, PMIX_LOCAL_PEERS, unknown)) {
      if (peers->type == PMIX_STRING) got.here = read_ranks(peers->data.string);
      release(peers);
    }
    got.failed = nullptr;
    return got;
  });
  const std::string host = name_of_host();
  if (!begun) {
    why = base::format(
        "join: the PMIx server of host {} has not answered for {} s: is the launcher stopped?",
        host, answer_deadline.count());
    return nullptr;
  }
  if (begun->failed != nullptr) {
    why = base::format(
        "join: {} on host {}: {}: a PMIx server is what mpirun of Open MPI, `srun --mpi=pmix` and "
        "their like bring along; am-run needs none",
        begun->failed, host, PMIx_Error_string(begun->status));
    return nullptr;
  }
  if (!std::ranges::binary_search(begun->here, begun->self.rank)) begun->here = {begun->self.rank};
  std::atexit([] { at_exit(); });
  return new session(std::move(*begun), std::move(news));  // outlives whoever may still call it
}

session::session(beginning&& begun, base::fd news)
    : self_(begun.self),
      ranks_(begun.ranks),
      here_(std::move(begun.here)),
      host_(name_of_host()),
      news_(std::move(news)),
      process_(::getpid()),
      everybody_(self_) {
  everybody_.rank = PMIX_RANK_WILDCARD;
  const bool yes = true;
  PMIX_INFO_LOAD(&with_blobs_, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
}

bool session::is_forked() const noexcept { return ::getpid() != process_; }

// ---- the end ------------------------------------------------------------------------------------

void session::leave() noexcept {
  inside_ = false;
  if (exiting_) finalize();
}

void session::give_up() noexcept {
  inside_ = false;
  is_over = true;
  finalize();
}

// Who ends without leaving has died, and the launcher is to see that: so it is not told goodbye.
void session::at_exit() noexcept {
  session& self = *the_one;
  if (self.is_forked() || is_over) return;
  self.exiting_ = true;  // a static endpoint may leave after this
  if (!self.inside_) self.finalize();
}

void session::finalize() noexcept {
  if (!is_forked() && !server_gone_) (void)in_time([] { return PMIx_Finalize(nullptr, 0); });
}

void session::abort(int exit_status, std::string_view line) noexcept {
  // Before the launcher kills this rank, too; but another thread may hold a stream for ever.
  constexpr std::chrono::seconds to_write{1};
  (void)in_time([] { return std::fflush(nullptr); }, to_write);
  if (!is_forked() && !server_gone_)
    (void)in_time([exit_status, text = std::string(line)] {
      return PMIx_Abort(exit_status, text.c_str(), nullptr, 0);
    });
  ::_exit(exit_status);
}

void session::abort_soon(std::string line) noexcept {
  const auto later = [this, line = std::move(line)] {
    constexpr std::chrono::seconds to_explain{1};
    std::this_thread::sleep_for(to_explain);
    base::log_line(base::log_level::error, line);
    abort(1, line);
  };
  try {
    base::quiet_thread(later).detach();
  } catch (const std::system_error&) {
    later();
  }
}

// In PMIx's thread. Of a lost rank it may be told, too: that is the launcher's to judge.
void session::hear(std::size_t, pmix_status_t, const pmix_proc_t* source, pmix_info_t*, std::size_t,
                   pmix_info_t*, std::size_t, pmix_event_notification_cbfunc_fn_t then,
                   void* data) {
  session* const self = the_one;
  if (self != nullptr && source != nullptr &&
      std::strncmp(source->nspace, self->self_.nspace, PMIX_MAX_NSLEN) != 0)
    self->server_is_gone();
  if (then != nullptr) then(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, data);
}

// Nobody else would end this rank: whoever had started it is no more.
void session::server_is_gone() noexcept {
  server_gone_ = true;
  if (!inside_) return;
  base::log(base::log_level::error,
            "the launcher is gone (its PMIx server on host {}): so goes this rank", host_);
  ::_exit(1);
}

}  // namespace am::detail::pmix
