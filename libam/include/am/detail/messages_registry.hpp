// Where handlers find a mailbox: a registry for each endpoint, in it a mailbox for each context,
// the number by which its members know it.
#pragma once

#include <am/detail/messages_mailbox.hpp>
#include <am/detail/messages_owner.hpp>
#include <am/detail/of_endpoint.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

namespace am::detail::messages {

inline constexpr std::size_t most_mailboxes = 1024;

/// The mailboxes of an endpoint.
struct mailbox_registry {
  explicit mailbox_registry(am_ep* of) noexcept : ep(of) {}

  am_ep* const ep;
  std::vector<mailbox_state*> mailboxes;                    // by context
  std::array<std::uint32_t, most_mailboxes> generations{};  // by context: the next one
  rank_id deaths_known = 0;
  bool has_work = false;                      // for the next round
  void (*posted_round)(void* all) = nullptr;  // run_posted_round, since the first mailbox
  bool is_posted = false;                     // a function that makes a round
  unsigned waits = 0;                         // of mailboxes, which make rounds
  std::unique_ptr<progress_thread>
      thread;  // AM_PROGRESS=thread: the owner while there is a mailbox

  [[nodiscard]] mailbox_state* find(std::uint16_t context) const noexcept {
    return context < mailboxes.size() ? mailboxes[context] : nullptr;
  }
  [[nodiscard]] bool is_empty() const noexcept {
    return std::ranges::all_of(mailboxes, [](const mailbox_state* one) { return one == nullptr; });
  }
  void add(mailbox_state& one) {
    if (one.context >= mailboxes.size()) mailboxes.resize(one.context + std::size_t{1});
    mailboxes[one.context] = &one;
  }
  void remove(const mailbox_state& one) noexcept { mailboxes[one.context] = nullptr; }
};

/// Contexts, a bit each.
using context_bits = std::array<std::uint64_t, most_mailboxes / 64>;

[[nodiscard]] inline context_bits free_contexts(const mailbox_registry& all) noexcept {
  context_bits bits;
  bits.fill(~std::uint64_t{0});
  for (std::size_t i = 0; i < all.mailboxes.size(); ++i)
    if (all.mailboxes[i] != nullptr) bits[i / 64] &= ~(std::uint64_t{1} << i % 64);
  return bits;
}
/// most_mailboxes: none is set.
[[nodiscard]] inline std::size_t lowest_of(const context_bits& bits) noexcept {
  std::size_t at = 0;
  while (at < bits.size() && bits[at] == 0) ++at;
  if (at == bits.size()) return most_mailboxes;
  return at * 64 + static_cast<std::size_t>(std::countr_zero(bits[at]));
}

inline mailbox_registry& registry_of(am_ep* ep) { return of_endpoint<mailbox_registry>(ep); }

}  // namespace am::detail::messages
