// Fences of a job on one host in the memory that its ranks share. A PMIx server's own would do
// where nobody dies; but it may let a fence wait for ever for a rank that died just before, and it
// may let one pass without that rank and say nothing (both seen, with Open MPI 4.1 and
// Slurm 22.05). Here everyone has to come but those who are known to be dead.
#pragma once

#include <libam/base/bell.hpp>
#include <libam/boot/pmix/house.hpp>

#include <chrono>
#include <cstdint>

namespace am::detail::pmix {

class gathering {
 public:
  // Who has waited so long is told who has yet to come; 0: never.
  gathering(share& house, std::size_t places, std::size_t self,
            std::chrono::seconds patience) noexcept
      : house_(house), places_(places), self_(self), patience_(patience) {}
  am_status open();  // before this rank comes to a fence

  void come() noexcept;
  // All have come who live. If not, `descriptor` becomes readable when one has to ask again.
  [[nodiscard]] bool complete();
  [[nodiscard]] int descriptor() const noexcept { return news_.get(); }

 private:
  [[nodiscard]] bool has_come(std::size_t place) const noexcept;
  [[nodiscard]] bool all_here() const noexcept;
  void set_timer(std::chrono::seconds left) const noexcept;
  void tell_who_is_late() const;

  share& house_;
  const std::size_t places_;
  const std::size_t self_;
  const std::chrono::seconds patience_;
  base::bell bell_;
  base::fd timer_;
  base::fd news_;  // of both
  std::uint64_t fences_ = 0;
};

}  // namespace am::detail::pmix
