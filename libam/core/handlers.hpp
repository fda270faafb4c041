// The handlers of this process, and how the ranks number them alike. A handler's key is its
// explicit name, or the build-id of its file with the offset in it, which ASLR does not change.
#pragma once

#include <am/am.h>
#include <libam/seam/boot.hpp>
#include <libam/seam/inbox.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace am::detail::core {

// To register a handler twice is the same as once.
void register_handler(am_handler* handler) noexcept;
void unregister_handler(am_handler* handler) noexcept;

// Those of libam itself, which every rank has.
void register_library_handlers() noexcept;

// Returns argument(handler), with a line on why nothing can be sent to it.
[[gnu::cold]] am_status refuse_handler(const char* call, const am_handler* handler) noexcept;

// A handler's identity across the job.
struct handler_key {
  std::string key;
  am_handler* handler;  // null: only other ranks have it
};

// This process's handlers, sorted by key. Two of one name, and one without a function, are
// argument(handler), with a line that names them.
am_status list_handlers(std::vector<handler_key>& out);

// Ids on the wire are 16 bits.
inline constexpr std::size_t most_handlers = 0xfffe;

// Equal lists have equal digests: ranks that run the same file compare nothing else.
std::uint64_t digest(const std::vector<handler_key>& handlers) noexcept;

// Keys as a blob, and back: for ranks whose files differ.
std::vector<std::byte> encode_keys(const std::vector<handler_key>& handlers);
std::vector<std::string> decode_keys(std::span<const std::byte> blob);

// Numbers the keys of the whole job (sorted, each once), keeping numbers given before, and fills
// the dispatch table: table[id] for each id, and one more entry for unknown ids. Keys that are not
// among `ours` get `missing`.
am_status number_handlers(const std::vector<handler_key>& ours,
                          const std::vector<std::string>& job_keys, am_handler_fn* missing,
                          std::vector<seam::inbox::entry>& table);

// Deletes the numbers, once no endpoint of this process uses them.
void clear_handler_numbers() noexcept;

}  // namespace am::detail::core
