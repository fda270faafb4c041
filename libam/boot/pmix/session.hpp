// The connection of this process with the PMIx server that its launcher has on this host. A process
// has one session only: for a server a rank that finalizes has gone, and the fences of the next
// join would pass without it. So the session ends with the process, and in good order only if the
// last job was left.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/boot/pmix/step_files.hpp>

#include <pmix.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::pmix {

class session {
 public:
  // The first call begins the session, and each call a job in it. Null and one line: that failed,
  // the session is over, or the job before has neither been left nor abandoned.
  static session* enter(std::string& why);

  [[nodiscard]] am_rank rank() const noexcept { return self_.rank; }
  [[nodiscard]] am_rank ranks() const noexcept { return ranks_; }
  // The ranks of this host, with this one, in order.
  [[nodiscard]] const std::vector<am_rank>& local_ranks() const noexcept { return local_ranks_; }
  [[nodiscard]] const std::string& host() const noexcept { return host_; }
  // This is the child of a fork, where PMIx does not run.
  [[nodiscard]] bool is_forked() const noexcept;

  [[nodiscard]] step_files& steps() noexcept { return steps_; }
  // A job is left in good order, or abandoned, which ends the session.
  void leave() noexcept;
  void abandon_job() noexcept;

  // Others find it under `key` after the next fence, once commit() has sent it.
  am_status put(const std::string& key, std::span<const std::byte> value);
  am_status commit();

  // The fence in two halves. It does not wait for a rank that has ended; `complete`: no rank has.
  am_status start_fence();
  am_status fence_done(bool& complete);
  [[nodiscard]] int fence_descriptor() const noexcept { return event_fd_.get(); }

  // What `rank` has sent, as far as this server has it. `found`: it has some.
  am_status get(am_rank rank, const std::string& key, std::vector<std::byte>& value, bool& found);

  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept;
  // Aborts after this rank has had time to report the reason itself. Its process does not end
  // before: a shell that has started it may go on, and the launcher would notice nothing.
  void abort_soon(std::string line) noexcept;

 private:
  struct init_result;
  explicit session(init_result&& begun, base::fd event_fd);
  static session* start(std::string& why);
  static void at_exit() noexcept;
  static void on_server_event(std::size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*,
                              std::size_t, pmix_info_t*, std::size_t,
                              pmix_event_notification_cbfunc_fn_t, void*);
  static void on_fence_done(pmix_status_t status, void* self);
  void finalize() noexcept;
  void on_server_lost() noexcept;
  am_status timeout_error(const char* stage) const;

  const pmix_proc_t self_;
  const am_rank ranks_;
  const std::vector<am_rank> local_ranks_;
  const std::string host_;
  const base::fd event_fd_;  // an eventfd
  const pid_t pid_;
  step_files steps_;
  std::atomic<bool> exiting_{false};
  std::atomic<bool> in_job_{false};
  std::atomic<bool> aborting_{false};  // a thread will end this process
  std::atomic<bool> server_lost_{false};
  std::atomic<bool> fence_passed_{false};
  pmix_status_t fence_status_ = PMIX_SUCCESS;
  // PMIx may read them until the fence has passed.
  pmix_proc_t all_ranks_;
  pmix_info_t fence_info_;
};

}  // namespace am::detail::pmix
