// What a boot must be, by which a process joins a job: this process's rank, the number of ranks,
// and a store of small blobs. One folder under libam/boot for each: alone, run (am-run), pmix (a
// module).
#pragma once

#include <am/types.h>
#include <libam/base/cpus.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/wakeup.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::seam {

// What a rank may put, the same under every launcher.
inline constexpr std::size_t most_key_bytes = 255;
inline constexpr std::size_t most_fence_bytes = 16U << 20;  // all keys and blobs before one fence

// Known to the ranks of a job alone: by it they prove to each other that they belong to the job.
using job_secret = std::array<std::byte, 32>;

// Where a launcher notifies a rank of a death: first it sets the word at the offset `exit_report`
// that the dead rank itself had given, then `bits` of the word at offset `attention` of the shared
// memory, and wakes `wakeup`. Offsets are multiples of 8, and the pages exist.
struct exit_notification {
  std::uint64_t attention;
  std::uint64_t bits;
  std::uint64_t exit_report;
  base::wakeup::name wakeup;
};

// May this be put, with `pending` bytes that already wait for the next fence?
am_status check_put(std::string_view key, std::span<const std::byte> blob, std::size_t pending);

class boot {
 public:
  virtual ~boot() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual am_rank rank() const noexcept = 0;
  [[nodiscard]] virtual am_rank ranks() const noexcept = 0;

  // How many CPUs the ranks of this host have together: a rank that is bound to one of them cannot
  // see the others.
  [[nodiscard]] virtual unsigned cpus() const { return base::count_allowed_cpus(); }

  // How many ranks of the job are on this host. If all are, none has to be reached from elsewhere.
  [[nodiscard]] virtual am_rank ranks_here() const noexcept { return ranks(); }
  [[nodiscard]] bool one_host() const noexcept { return ranks_here() == ranks(); }

  // Stores a blob under `key`; the others can get it after the next fence.
  virtual am_status put(std::string_view key, std::span<const std::byte> blob) = 0;

  // The fence in two halves, so that a rank can serve others while it waits: start it once, then
  // call fence_done() until it returns AM_OK; AM_AGAIN_CONNECTING means not yet.
  virtual am_status start_fence() = 0;
  virtual am_status fence_done() = 0;

  // Becomes readable when fence_done() should be called again; -1 if no fence ever waits.
  [[nodiscard]] virtual int fence_descriptor() const noexcept = 0;

  // What `rank` had put before the last fence. A key that it has not put is argument(setting).
  virtual am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) = 0;

  // Maps the first `bytes` of the `total_bytes` that the ranks of this host share, or fails with a
  // line that says why there is no shared memory.
  virtual am_status share_memory(std::size_t bytes, std::size_t total_bytes,
                                 base::shared_memory& memory) = 0;
  // Drawn by the process that made that memory, and given to a rank with it: two ranks share memory
  // if, and only if, these are equal. Nothing else tells hosts apart: containers of one kernel may
  // have equal names, and copies of one virtual machine equal boot ids.
  [[nodiscard]] virtual std::uint64_t host_id() const noexcept = 0;

  // The same for every rank of the job; null: there is none, so ranks cannot prove that they belong
  // to the job.
  [[nodiscard]] virtual const job_secret* secret() const noexcept { return nullptr; }

  // The socket by which this rank is woken: made where the ranks of this host can all wake each
  // other. Given once; invalid if there is none.
  virtual base::fd wakeup_socket() {
    base::fd socket;
    (void)base::wakeup::create(socket);
    return socket;
  }

  // Before the join's first fence. Without it, or under a launcher that learns of no deaths, a
  // death ends the job or is never reported.
  virtual void request_exit_notification(const exit_notification&) noexcept {}

  // This rank has left in good order; nothing follows.
  virtual void leave() noexcept = 0;

  // Ends the whole job with this exit status. The rank has logged `line`; a launcher may print it,
  // too.
  [[noreturn]] virtual void abort(int exit_status, std::string_view line) noexcept = 0;
};

}  // namespace am::detail::seam
