#include <libam/base/error.hpp>
#include <libam/core/requests.hpp>

#include <utility>

namespace am::detail::core {

am_status requests::try_request(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                                am_word w2, am_word w3) {
  if (!is_valid_request(to, handler)) [[unlikely]]
    return refuse("try_request", to, handler);
  seam::port& port = peers_.port(to);
  if (!port.take_credit()) [[unlikely]]
    return note_retry(bulk_.sender.request(to, *handler, w0, w1, w2, w3));
  port.send(handler->id, w0, w1, w2, w3);
  return AM_OK;
}

am_status requests::check_medium(const char* call, am_rank to, const am_handler* handler,
                                 const void* data, std::size_t bytes) const {
  if (!is_valid_request(to, handler)) [[unlikely]]
    return refuse(call, to, handler);
  if (bytes > peers_.max_medium())
    return base::fail(AM_ARGUMENT_SIZE,
                      "a medium message of {} bytes: at most {} fit; send it in pieces", bytes,
                      peers_.max_medium());
  if (data == nullptr && bytes != 0)
    return base::fail(AM_ARGUMENT_ADDRESS, "a medium message of {} bytes at a null address", bytes);
  return AM_OK;
}

// Polls first: a message to this rank itself must not run in its own send.
am_status requests::medium(am_rank to, const am_handler* handler, const void* data,
                           std::size_t bytes, const am_word* words) {
  if (const am_status status = check_medium("request_medium", to, handler, data, bytes);
      status != AM_OK)
    return status;
  bulk_.poll_once(to);
  bool waited = false;
  wait_scope here(current_wait());
  for (;;) {
    const am_status status = bulk_.sender.medium(to, *handler, data, bytes, words);
    if (am_status_reason(status) != AM_REASON_AGAIN) return status;
    const am_status step =
        peers_.has_contact(to) ? wait_for_room(to, here, waited) : make_contact(to);
    if (step != AM_OK) return step;
  }
}

am_status requests::try_medium(am_rank to, const am_handler* handler, const void* data,
                               std::size_t bytes, const am_word* words) {
  const am_status status = check_medium("try_request_medium", to, handler, data, bytes);
  if (status != AM_OK) return status;
  return note_retry(bulk_.sender.medium(to, *handler, data, bytes, words));
}

am_status requests::check_room(const char* call, am_rank to, const am_handler* handler,
                               const void* data, std::size_t bytes, std::size_t room) const {
  if (const am_status status = check_medium(call, to, handler, data, bytes); status != AM_OK)
    return status;
  if (room <= peers_.max_medium()) return AM_OK;
  return base::fail(AM_ARGUMENT_SIZE, "{}: room for an answer of {} bytes: it may have {} at most",
                    call, room, peers_.max_medium());
}

// As medium().
am_status requests::request_with_room(am_rank to, const am_handler* handler, const void* data,
                                      std::size_t bytes, std::size_t room, const am_word* words) {
  if (const am_status status = check_room("request_with_room", to, handler, data, bytes, room);
      status != AM_OK)
    return status;
  bulk_.poll_once(to);
  bool waited = false;
  wait_scope here(current_wait());
  for (;;) {
    const am_status status = send_with_room(to, *handler, data, bytes, room, words);
    if (am_status_reason(status) != AM_REASON_AGAIN) return status;
    const char* const call =
        bulk_.sender.rooms.is_short(to) ? "a request that takes room for its answer" : "a request";
    const am_status step =
        peers_.has_contact(to) ? wait_for_room(to, here, waited, call) : make_contact(to);
    if (step != AM_OK) return step;
  }
}

am_status requests::try_request_with_room(am_rank to, const am_handler* handler, const void* data,
                                          std::size_t bytes, std::size_t room,
                                          const am_word* words) {
  const am_status status = check_room("try_request_with_room", to, handler, data, bytes, room);
  if (status != AM_OK) return status;
  return note_retry(send_with_room(to, *handler, data, bytes, room, words));
}

am_status requests::send_with_room(am_rank to, const am_handler& handler, const void* data,
                                   std::size_t bytes, std::size_t room, const am_word* words) {
  if (room != 0) return bulk_.sender.send_with_room(to, handler, data, bytes, room, words);
  if (bytes != 0) return bulk_.sender.medium(to, handler, data, bytes, words);
  return bulk_.sender.request(to, handler, words[0], words[1], words[2], words[3]);
}

am_status requests::wait_for_room(am_rank to, wait_scope& here, bool& counted, const char* call) {
  if (!std::exchange(counted, true)) ++peers_.traffic(to).waits;
  return progress_.wait_step(here, call, &to);
}

am_status requests::make_contact(am_rank to) {
  wait_scope here(current_wait());
  while (!peers_.has_contact(to)) {
    am_status status = peers_.try_contact(to);
    if (status != AM_AGAIN_CONNECTING) return status;
    status = progress_.wait_step(here, "first contact", &to);
    if (status != AM_OK) return status;
  }
  return peers_.is_dead(to) ? peers_.refuse_dead(to) : AM_OK;
}

am_status requests::wait_for_credit(am_rank to) {
  if (const am_status status = make_contact(to); status != AM_OK) return status;
  bool waited = false;
  for (wait_scope here(current_wait());;) {
    am_status status = bulk_.sender.find_credit(to);
    if (status != AM_AGAIN_CREDIT) return status;
    status = wait_for_room(to, here, waited);
    if (status != AM_OK) return status;
  }
}

am_status requests::refuse(const char* call, am_rank to, const am_handler* handler) const {
  if (!dispatcher_.may_call()) return dispatcher_.refuse(call);
  if (!peers_.has(to))
    return base::fail(AM_ARGUMENT_RANK, "{} to rank {}: this job has ranks 0 to {}", call, to,
                      peers_.ranks() - 1);
  return refuse_handler(call, handler);
}

}  // namespace am::detail::core
