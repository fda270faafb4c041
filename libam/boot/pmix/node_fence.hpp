// Fences of a job on one host in the memory that its ranks share. A PMIx server's own fence works
// where no rank dies; but it may wait for ever for a rank that died just before, and it may pass
// without that rank and not report it (both seen, with Open MPI 4.1 and Slurm 22.05). Here all
// ranks have to arrive except those that are known to be dead.
#pragma once

#include <libam/base/wakeup.hpp>
#include <libam/boot/pmix/node_group.hpp>

#include <chrono>
#include <cstdint>

namespace am::detail::pmix {

class node_fence {
 public:
  // After a wait of `warn_after` the log says which ranks have yet to arrive; 0: never.
  node_fence(node_resources& node, std::size_t local_size, std::size_t self,
             std::chrono::seconds warn_after) noexcept
      : node_(node), local_size_(local_size), self_(self), warn_after_(warn_after) {}
  am_status open();  // before the first arrive()

  void arrive() noexcept;
  // True: all living ranks have arrived. Else call it again when descriptor() becomes readable.
  [[nodiscard]] bool try_complete();
  [[nodiscard]] int descriptor() const noexcept { return epoll_fd_.get(); }

 private:
  [[nodiscard]] bool has_arrived(std::size_t local_rank) const noexcept;
  [[nodiscard]] bool all_arrived() const noexcept;
  void set_timer(std::chrono::seconds left) const noexcept;
  void warn_about_late_ranks() const;

  node_resources& node_;
  const std::size_t local_size_;
  const std::size_t self_;
  const std::chrono::seconds warn_after_;
  base::wakeup wakeup_;
  base::fd timer_;
  base::fd epoll_fd_;  // of wakeup_ and timer_
  std::uint64_t fences_ = 0;
};

}  // namespace am::detail::pmix
