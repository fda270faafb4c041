// The other side's replies to calls of this rank.
#include <libam/base/cache_line.hpp>
#include <libam/core/bulk_caller.hpp>

#include <cstring>

namespace am::detail::core {

// Null: no call of that number waits for bytes of the message's source, or it has ended.
pending_call* bulk_caller::find_requested(pending_call::kind what, am_word number) noexcept {
  pending_call* const one = pending_.find(number);
  const bool is_it = one != nullptr && one->what == what &&
                     one->current_stage == pending_call::stage::requested &&
                     one->completion.peer == dispatcher_.source();
  return is_it ? one : nullptr;
}

void bulk_caller::handle_got(const am_word* words, const void* data, std::size_t bytes) noexcept {
  const am_word number = base::read_once(words[0]);
  const am_word at = base::read_once(words[1]);
  pending_call* const get = find_requested(pending_call::kind::get, number);
  if (get == nullptr) return;
  if (dispatcher_.is_placed()) return finish_streamed_get(*get, data, bytes);
  const std::size_t left = get->bytes - get->moved;
  if (bytes == 0 || bytes > left)
    dispatcher_.report_violation("the bytes of a piece of a get", bytes, left);
  if (at > get->bytes - bytes)
    dispatcher_.report_violation("the offset of a piece of a get", at, get->bytes - bytes);
  std::memcpy(static_cast<std::byte*>(get->here) + at, data, bytes);
  get->moved += bytes;
  if (get->moved == get->bytes) end(*get, AM_OK, false);
}

// A stream has brought all of it.
void bulk_caller::finish_streamed_get(pending_call& get, const void* where,
                                      std::size_t bytes) noexcept {
  if (!peers_.port(dispatcher_.source()).streams())
    dispatcher_.report_violation("a piece of a get without its bytes", bytes, 0);
  if (where != get.here)
    dispatcher_.report_violation("the address of a streamed get",
                                 reinterpret_cast<std::uintptr_t>(where),
                                 reinterpret_cast<std::uintptr_t>(get.here));
  if (bytes != get.bytes)
    dispatcher_.report_violation("the bytes of a streamed get", bytes, get.bytes);
  end(get, AM_OK, false);
}

void bulk_caller::handle_get_failed(const am_word* words) noexcept {
  const am_word number = base::read_once(words[0]);
  const am_word why = base::read_once(words[1]);
  if (pending_call* const get = find_requested(pending_call::kind::get, number); get != nullptr)
    end(*get, why == AM_RESOURCE_SPACE ? AM_RESOURCE_SPACE : AM_ARGUMENT_ADDRESS, false);
}

void bulk_caller::handle_atomic_end(const am_word* words, am_status reason) noexcept {
  pending_call* const one = find_requested(pending_call::kind::atomic, base::read_once(words[0]));
  if (one == nullptr) return;
  one->completion.words[0] = words[1];
  end(*one, reason, false);
}

}  // namespace am::detail::core
