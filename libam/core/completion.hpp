// What runs here when a call has ended: from the next poll on, with a reply handler's rights.
#pragma once

#include <libam/core/callbacks.hpp>
#include <libam/core/give_back.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace am::detail::core {

struct completion {
  am_rank peer;
  std::uint32_t handler;
  am_word words[AM_WORDS];
  void* data;
  std::size_t bytes;
  am_status reason;      // not AM_OK: the call comes back to whoever takes what is undeliverable
  bool unknown = false;  // then: nobody can tell whether it ran
};
// Stands for a handler: tell the program that `peer` has died.
inline constexpr std::uint32_t peer_failed = ~std::uint32_t{0};

class completion_queue {
 public:
  completion_queue(dispatcher& runs, callbacks& told) noexcept : dispatcher_(runs), told_(told) {}

  void push(const completion& one) { all_.push_back(one); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  // Says how many have run.
  unsigned run(unsigned budget) noexcept;
  void clear() noexcept { give_back_room(all_); }

 private:
  dispatcher& dispatcher_;
  callbacks& told_;
  std::deque<completion> all_;
};

}  // namespace am::detail::core
