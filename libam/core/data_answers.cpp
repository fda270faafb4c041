// Answers with data: a payload goes into the room of its request; bytes for an address of the
// requester go there at once where the transport reaches it, and into that room otherwise.
#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/endpoint_handle.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/core/store_header.hpp>

#include <algorithm>
#include <cstring>

namespace am::detail::core {

using seam::answer;
using seam::transfer_status;

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
  return base::fail(AM_ARGUMENT_SIZE,
                    "a reply of {} bytes: its request of rank {} has room for {}; send fewer, or "
                    "request with more room",
                    bytes, requester, room);
}

}  // namespace

// ---- at the target ------------------------------------------------------------------------------

am_status dispatcher::reply_medium(std::uint64_t serial, const am_handler* handler,
                                   const void* data, std::size_t bytes, const am_word* words) {
  if (!may_reply(serial, handler)) return refuse_reply(serial, handler);
  if (bytes > with_room_.room) return refuse_room(bytes, source_, with_room_.room);
  if (is_no_address(data, bytes)) return refuse_address("", bytes, data);
  last_answered_ = serial;
  if (bytes == 0) return return_path_->reply(handler->id, words[0], words[1], words[2], words[3]);
  return_path_->answer({answer::form::payload, handler->id, words, data, bytes});
  return AM_OK;
}

am_status dispatcher::reply_store(std::uint64_t serial, void* where, const void* data,
                                  std::size_t bytes, const am_handler* handler,
                                  const am_word* words) {
  if (!may_reply(serial, handler)) return refuse_reply(serial, handler);
  if (is_no_address(data, bytes)) return refuse_address("", bytes, data);
  if (is_no_address(where, bytes)) return refuse_address(" of the requester", bytes, where);
  transfer_status reached =
      bytes == 0 ? transfer_status::done : return_path_->place(where, data, bytes);
  const bool has_room = bytes <= with_room_.room;
  // Bytes for a dead rank are dropped, as words are.
  if (reached == transfer_status::unsupported && !has_room && return_path_->requester_is_dead())
    reached = transfer_status::done;
  switch (reached) {
    case transfer_status::done:
      last_answered_ = serial;
      return_path_->reply_at(handler->id, words, where, bytes);
      return AM_OK;
    case transfer_status::bad_remote_address:
      return refuse_address(" of the requester", bytes, where);
    case transfer_status::bad_local_address: return refuse_address("", bytes, data);
    default: break;
  }
  if (!has_room) return refuse_room(bytes, source_, with_room_.room);
  const stored_answer_header header{reinterpret_cast<std::uintptr_t>(where), handler->id};
  store_buffer_.resize(sizeof header + bytes);
  std::memcpy(store_buffer_.data(), &header, sizeof header);
  std::memcpy(store_buffer_.data() + sizeof header, data, bytes);
  last_answered_ = serial;
  return_path_->answer({answer::form::payload, stored_answer_handler.id, words,
                        store_buffer_.data(), store_buffer_.size()});
  return AM_OK;
}

// ---- at the requester ---------------------------------------------------------------------------

// The room is free again before the handler has run: that may not send, so no later request takes
// the bytes before its end.
void endpoint::event_forwarder::on_answer(const answer& one) noexcept {
  const am_rank from = endpoint_.dispatcher_.source();
  const std::uint32_t* const room = endpoint_.bulk_.sender.rooms.oldest(from);
  if (room == nullptr)
    endpoint_.dispatcher_.report_violation("answers to requests with room that do not exist", 1, 0);
  const std::size_t payload = one.what == answer::form::payload ? one.bytes : 0;
  const bool is_stored = one.handler == stored_answer_handler.id;
  const std::size_t most = *room + (is_stored ? sizeof(stored_answer_header) : 0);
  if (payload > most)
    endpoint_.dispatcher_.report_violation("the bytes of an answer", payload, most);
  endpoint_.bulk_.sender.rooms.release_oldest(from);
}

void handle_stored_answer(endpoint& ep, am_token token, const am_word* words, const void* data,
                          std::size_t bytes) noexcept {
  stored_answer_header header{};
  dispatcher& dispatcher = ep.dispatcher();
  if (dispatcher.is_placed())
    dispatcher.report_violation("a stored answer without its bytes", bytes, 0);
  if (bytes < sizeof header)
    dispatcher.report_violation("a stored answer that is too short", bytes, sizeof header);
  std::memcpy(&header, data, sizeof header);
  header = base::read_once(header);
  const auto handler = static_cast<std::uint32_t>(std::min<std::uint64_t>(header.handler, ~0U));
  auto* const where = reinterpret_cast<void*>(header.where);
  const auto* const from = static_cast<const std::byte*>(data) + sizeof header;
  const std::size_t rest = bytes - sizeof header;
  if (!ep.bulk().own_segments.write(where, from, rest)) {
    if (!dispatcher.return_carried(AM_ARGUMENT_ADDRESS, handler, words))
      ep.callbacks().report_undeliverable(AM_ARGUMENT_ADDRESS, words, true);
    return;
  }
  dispatcher.run_carried(token, handler, words, where, rest);
}

}  // namespace am::detail::core
