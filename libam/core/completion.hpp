// What runs here when a call has ended: from the next poll on, with a reply handler's rights.
#pragma once

#include <libam/core/callbacks.hpp>
#include <libam/core/release_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace am::detail::core {

struct completion_entry {
  am_rank peer;
  std::uint32_t handler;
  am_word words[AM_WORDS];
  void* data;
  std::size_t bytes;
  am_status reason;      // not AM_OK: the call goes to the program's callback for such messages
  bool unknown = false;  // then: whether it ran is unknown
};
// In the place of a handler's id: calls the program's callback for the death of `peer`.
inline constexpr std::uint32_t peer_failure_id = ~std::uint32_t{0};

class completion_queue {
 public:
  completion_queue(dispatcher& dispatcher, callbacks& program_callbacks) noexcept
      : dispatcher_(dispatcher), callbacks_(program_callbacks) {}

  void push(const completion_entry& one) { all_.push_back(one); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  // Returns how many have run.
  unsigned run(unsigned budget) noexcept;
  void clear() noexcept { free_containers(all_); }

 private:
  dispatcher& dispatcher_;
  callbacks& callbacks_;
  std::deque<completion_entry> all_;
};

}  // namespace am::detail::core
