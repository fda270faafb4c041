// The handlers of this process, and how the ranks number them alike. A handler's key is its
// explicit name or (build-id of its file, offset in it), which ASLR does not change.
#pragma once

#include <am/am.h>
#include <libam/seam/boot.hpp>
#include <libam/seam/inbox.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace am::detail::core {

// A second time is as good as once.
void register_handler(am_handler* handler) noexcept;
void unregister_handler(am_handler* handler) noexcept;

// Those of libam itself, which every rank has.
void register_own_handlers() noexcept;

// Why nothing can be sent to it: argument(handler).
[[gnu::cold]] am_status refuse_handler(const char* call, const am_handler* handler) noexcept;

// A handler's identity across the job.
struct handler_key {
  std::string key;
  am_handler* handler;  // null: only other ranks have it
};

// This process's handlers, sorted by key. Two of one name are argument(handler) that names both; so
// is one without a function.
am_status list_handlers(std::vector<handler_key>& out);

// Ids on the wire are 16 bits.
inline constexpr std::size_t most_handlers = 0xfffe;

// One number for each of two equal lists, so that ranks which run the same file need no more.
std::uint64_t digest(const std::vector<handler_key>& handlers) noexcept;

// The keys as a blob, and back: for ranks whose files differ.
std::vector<std::byte> encode_keys(const std::vector<handler_key>& handlers);
std::vector<std::string> decode_keys(const std::vector<std::byte>& blob);

// Numbers the keys of the whole job (sorted, each once), keeping numbers given before, and fills
// the dispatch table: table[id] for each id, and one more entry for ids that nobody has. Keys that
// are not among `ours` get `missing`.
am_status number_handlers(const std::vector<handler_key>& ours,
                          const std::vector<std::string>& job_keys, am_handler_fn* missing,
                          std::vector<seam::inbox::entry>& table);

// Forgets the numbers, once no endpoint of this process uses them.
void forget_numbers() noexcept;

}  // namespace am::detail::core
