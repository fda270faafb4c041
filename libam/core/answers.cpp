// Answers with data: a payload goes in the room that its request has; bytes for an address of the
// requester go there at once where the transport reaches it, and in that room otherwise.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/answers.hpp>
#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

using seam::answer;
using seam::reach;

namespace {

am_status refuse_address(const char* whose, std::size_t bytes, const void* address) {
  return base::fail(AM_ARGUMENT_ADDRESS, "a reply of {} bytes at {}{}: there is no such memory",
                    bytes, address, whose);
}

bool is_no_address(const void* address, std::size_t bytes) noexcept {
  return bytes != 0 &&
         (address == nullptr || reinterpret_cast<std::uintptr_t>(address) + bytes < bytes);
}

am_status refuse_room(std::size_t bytes, am_rank requester, std::uint32_t room) {
  return base::fail(
      AM_ARGUMENT_SIZE,
      "a reply of {} bytes: its request of rank {} has room for {}; answer in another "
      "way, or ask with more",
      bytes, requester, room);
}

}  // namespace

// ---- where they are made ------------------------------------------------------------------------

am_status dispatcher::reply_medium(std::uint64_t serial, const am_handler* handler,
                                   const void* data, std::size_t bytes, const am_word* words) {
  if (!may_reply(serial, handler)) return refuse_reply(serial, handler);
  if (bytes > with_room_.room) return refuse_room(bytes, source_, with_room_.room);
  if (is_no_address(data, bytes)) return refuse_address("", bytes, data);
  answered_ = serial;
  if (bytes == 0) return back_->reply(handler->id, words[0], words[1], words[2], words[3]);
  back_->answer({answer::form::payload, handler->id, words, data, bytes});
  return AM_OK;
}

am_status dispatcher::reply_store(std::uint64_t serial, void* where, const void* data,
                                  std::size_t bytes, const am_handler* handler,
                                  const am_word* words) {
  if (!may_reply(serial, handler)) return refuse_reply(serial, handler);
  if (is_no_address(data, bytes)) return refuse_address("", bytes, data);
  if (is_no_address(where, bytes)) return refuse_address(" of the requester", bytes, where);
  reach reached = bytes == 0 ? reach::done : back_->place(where, data, bytes);
  const bool has_room = bytes <= with_room_.room;
  // To the dead bytes go as words do: to nobody.
  if (reached == reach::no_way && !has_room && back_->leads_nowhere()) reached = reach::done;
  switch (reached) {
    case reach::done:
      answered_ = serial;
      back_->reply_at(handler->id, words, where, bytes);
      return AM_OK;
    case reach::bad_address: return refuse_address(" of the requester", bytes, where);
    case reach::bad_here: return refuse_address("", bytes, data);
    default: break;
  }
  if (!has_room) return refuse_room(bytes, source_, with_room_.room);
  const stored_answer_header header{reinterpret_cast<std::uintptr_t>(where), handler->id};
  stored_.resize(sizeof header + bytes);
  std::memcpy(stored_.data(), &header, sizeof header);
  std::memcpy(stored_.data() + sizeof header, data, bytes);
  answered_ = serial;
  back_->answer(
      {answer::form::payload, stored_answer_handler.id, words, stored_.data(), stored_.size()});
  return AM_OK;
}

// ---- where they arrive --------------------------------------------------------------------------

// Room is home again: its handler may not send, so nobody takes the bytes before it has run.
void endpoint::teller::answer_has_come(const answer& one) noexcept {
  const am_rank from = to_.dispatcher_.source();
  const std::uint32_t* const room = to_.bulk_.by.rooms.oldest(from);
  if (room == nullptr)
    to_.dispatcher_.accuse("answers to requests with room that there are not", 1, 0);
  const std::size_t payload = one.what == answer::form::payload ? one.bytes : 0;
  const bool is_stored = one.handler == stored_answer_handler.id;
  const std::size_t most = *room + (is_stored ? sizeof(stored_answer_header) : 0);
  if (payload > most) to_.dispatcher_.accuse("the bytes of an answer", payload, most);
  to_.bulk_.by.rooms.give_back(from);
}

void take_stored_answer(endpoint& ep, am_token token, const am_word* words, const void* data,
                        std::size_t bytes) noexcept {
  stored_answer_header header{};
  dispatcher& messages = ep.dispatch();
  if (messages.is_placed()) messages.accuse("a stored answer without its bytes", bytes, 0);
  if (bytes < sizeof header)
    messages.accuse("a stored answer that is too short", bytes, sizeof header);
  std::memcpy(&header, data, sizeof header);
  header = base::copied_once(header);
  const auto handler = static_cast<std::uint32_t>(std::min<std::uint64_t>(header.handler, ~0U));
  auto* const where = reinterpret_cast<void*>(header.where);
  const auto* const from = static_cast<const std::byte*>(data) + sizeof header;
  const std::size_t rest = bytes - sizeof header;
  if (!ep.bulk_data().own.write(where, from, rest)) {
    if (!messages.give_back_instead(AM_ARGUMENT_ADDRESS, handler, words))
      ep.callbacks().undeliverable(AM_ARGUMENT_ADDRESS, words, true);
    return;
  }
  messages.run_instead(token, handler, words, where, rest);
}

}  // namespace am::detail::core
