// What the other side says to calls that asked it.
#include <libam/base/cache_line.hpp>
#include <libam/core/bulk_caller.hpp>

#include <cstring>

namespace am::detail::core {

// Null: nobody waits under that number for this rank's bytes, or does any more.
call* bulk_caller::asked_of_source(call::kind what, am_word number) noexcept {
  call* const one = pending_.find(number);
  const bool is_it = one != nullptr && one->what == what && one->in == call::stage::asked &&
                     one->then.peer == dispatcher_.source();
  return is_it ? one : nullptr;
}

void bulk_caller::get_has_come(const am_word* words, const void* data, std::size_t bytes) noexcept {
  const am_word number = base::copied_once(words[0]);
  const am_word at = base::copied_once(words[1]);
  call* const get = asked_of_source(call::kind::get, number);
  if (get == nullptr) return;
  if (dispatcher_.is_placed()) return get_has_moved(*get, data, bytes);
  const std::size_t left = get->bytes - get->moved;
  if (bytes == 0 || bytes > left)
    dispatcher_.accuse("a piece of a get has bytes that nobody waits for", bytes, left);
  if (at > get->bytes - bytes)
    dispatcher_.accuse("a piece of a get stands at", at, get->bytes - bytes);
  std::memcpy(static_cast<std::byte*>(get->here) + at, data, bytes);
  get->moved += bytes;
  if (get->moved == get->bytes) end(*get, AM_OK, false);
}

// A stream has brought all of it.
void bulk_caller::get_has_moved(call& get, const void* where, std::size_t bytes) noexcept {
  if (!peers_.port(dispatcher_.source()).streams())
    dispatcher_.accuse("a piece of a get without its bytes", bytes, 0);
  if (where != get.here || bytes != get.bytes)
    dispatcher_.accuse("the bytes of a get that stand elsewhere", bytes, get.bytes);
  end(get, AM_OK, false);
}

void bulk_caller::get_has_failed(const am_word* words) noexcept {
  const am_word number = base::copied_once(words[0]);
  const am_word why = base::copied_once(words[1]);
  if (call* const get = asked_of_source(call::kind::get, number); get != nullptr)
    end(*get, why == AM_RESOURCE_SPACE ? AM_RESOURCE_SPACE : AM_ARGUMENT_ADDRESS, false);
}

void bulk_caller::atomic_has_ended(const am_word* words, am_status reason) noexcept {
  call* const one = asked_of_source(call::kind::atomic, base::copied_once(words[0]));
  if (one == nullptr) return;
  one->then.words[0] = words[1];
  end(*one, reason, false);
}

}  // namespace am::detail::core
