// Who sees that a rank of this host has died, where the launcher lets the others go on and tells
// nobody: each rank watches the processes of the others in a thread that sleeps until one ends. It
// then ends the job, or does to its own rank what am-run would (seam::deathwatch), so that the next
// poll hears of it.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/boot/pmix/house.hpp>
#include <libam/seam/boot.hpp>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace am::detail::pmix {

using seam::deathwatch;

// How a rank's watch is told the others.
std::vector<std::byte> as_blob(const deathwatch& where);
std::optional<deathwatch> read_watch(std::span<const std::byte> blob);

class vigil {
 public:
  // In the thread; does not return.
  using end_job = std::function<void(std::size_t dead)>;

  // All pidfds of the house are known. At first a death is for `end`.
  vigil(share& house, std::size_t self, end_job end);
  ~vigil();
  vigil(const vigil&) = delete;
  vigil& operator=(const vigil&) = delete;

  // False and one line: deaths will not be seen.
  bool begin(std::string& why);

  // From now on this rank is told of a death instead. `watches` by place; once at most.
  void tell_instead(std::vector<deathwatch> watches) noexcept;
  [[nodiscard]] bool tells() const noexcept { return tells_; }

  // This rank gives its place up while its process lives on: the others are to take it for dead.
  void tell_of_own_death() noexcept;

 private:
  void watch() noexcept;
  void tell(std::size_t dead, std::size_t whom) const noexcept;

  share& house_;
  const std::size_t self_;
  const end_job end_;
  std::vector<deathwatch> watches_;
  std::atomic<bool> tells_{false};
  base::fd stop_;
  std::thread thread_;
};

}  // namespace am::detail::pmix
