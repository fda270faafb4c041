// This process and the PMIx server that its launcher has on this host. There is one session in the
// life of a process: a server takes a rank that finalizes for one that is gone, and would let the
// fences of the next join pass without it. So it ends with the process, and in good order only if
// the last job was left.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>

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
  // Begins with the first call, and a job in it with each. Null and one line: it cannot, is over,
  // or the job before has neither been left nor given up.
  static session* enter(std::string& why);

  [[nodiscard]] am_rank rank() const noexcept { return self_.rank; }
  [[nodiscard]] am_rank ranks() const noexcept { return ranks_; }
  // The ranks of this host, this one among them, in order.
  [[nodiscard]] const std::vector<am_rank>& here() const noexcept { return here_; }
  [[nodiscard]] const std::string& host() const noexcept { return host_; }
  // This is the child of a fork, where nothing of PMIx runs.
  [[nodiscard]] bool is_forked() const noexcept;

  // The job that has begun last is the how many-th. It is left in good order; or it was given up,
  // which ends the session.
  [[nodiscard]] unsigned joins() const noexcept { return joins_; }
  void leave() noexcept;
  void give_up() noexcept;

  // What others find under `key` after the next fence, once it was sent.
  am_status put(const std::string& key, std::span<const std::byte> value);
  am_status send();

  // The fence in two halves. Whoever has gone without it does not keep it up; `complete`: nobody
  // has.
  am_status start_fence();
  am_status fence_done(bool& complete);
  [[nodiscard]] int fence_descriptor() const noexcept { return news_.get(); }

  // What `rank` has sent, as far as it has got here. `found`: there is some.
  am_status get(am_rank rank, const std::string& key, std::vector<std::byte>& value, bool& found);

  [[noreturn]] void abort(int exit_status, std::string_view line) noexcept;
  // When this rank has had time to say why itself.
  void abort_soon(std::string line) noexcept;

 private:
  struct beginning;
  explicit session(beginning&& begun, base::fd news);
  static session* begin(std::string& why);
  static void at_exit() noexcept;
  static void hear(std::size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*, std::size_t,
                   pmix_info_t*, std::size_t, pmix_event_notification_cbfunc_fn_t, void*);
  static void pass(pmix_status_t status, void* self);
  void finalize() noexcept;
  void server_is_gone() noexcept;
  am_status no_answer(const char* stage) const;

  const pmix_proc_t self_;
  const am_rank ranks_;
  const std::vector<am_rank> here_;
  const std::string host_;
  const base::fd news_;  // an eventfd
  const pid_t process_;
  unsigned joins_ = 0;
  std::atomic<bool> exiting_{false};
  std::atomic<bool> inside_{false};
  std::atomic<bool> server_gone_{false};
  std::atomic<bool> fence_passed_{false};
  pmix_status_t fence_status_ = PMIX_SUCCESS;
  // PMIx may look at them until the fence has passed.
  pmix_proc_t everybody_;
  pmix_info_t with_blobs_;
};

}  // namespace am::detail::pmix
