// Sending a request: checks, a credit, the port, and one look at what has come.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>
#include <libam/core/handlers.hpp>

namespace am::detail::core {

// Sends before it looks: the message is on its way earlier. A message to this rank itself goes the
// other way round, for it must not run in its own send.
am_status endpoint::request_and_look(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                                     am_word w2, am_word w3) {
  if (!acceptable(to, handler)) [[unlikely]]
    return refuse_request("request", to, handler);
  if (to == rank_) [[unlikely]]
    ports_[to]->look();
  if (!ports_[to]->take_credit()) [[unlikely]] {
    if (const am_status status = find_credit(to, true); status != AM_OK) return status;
    ports_[to]->credits.take();
  }
  seam::port& port = *ports_[to];
  port.send(handler->id, w0, w1, w2, w3);
  if (to != rank_) [[likely]]
    port.look_in_turn();
  send_behind_look();
  return AM_OK;
}

am_status endpoint::try_request(am_rank to, const am_handler* handler, am_word w0, am_word w1,
                                am_word w2, am_word w3) {
  if (!acceptable(to, handler)) [[unlikely]]
    return refuse_request("try_request", to, handler);
  if (ports_[to]->credits.free() == 0) [[unlikely]] {
    if (const am_status status = find_credit(to, false); status != AM_OK) return status;
  }
  ports_[to]->credits.take();
  ports_[to]->send(handler->id, w0, w1, w2, w3);
  return AM_OK;
}

am_status endpoint::request_medium(am_rank to, const am_handler* handler, const void* data,
                                   std::size_t bytes, const am_word* words) {
  // Looks first: a message to this rank itself must not run in its own send.
  if (acceptable(to, handler)) look(to);
  return send_medium(to, handler, data, bytes, words, true);
}

am_status endpoint::try_request_medium(am_rank to, const am_handler* handler, const void* data,
                                       std::size_t bytes, const am_word* words) {
  return send_medium(to, handler, data, bytes, words, false);
}

am_status endpoint::send_medium(am_rank to, const am_handler* handler, const void* data,
                                std::size_t bytes, const am_word* words, bool wait) {
  if (!acceptable(to, handler)) [[unlikely]]
    return refuse_request(wait ? "request_medium" : "try_request_medium", to, handler);
  if (bytes > max_medium_)
    return base::fail(AM_ARGUMENT_SIZE,
                      "a medium message of {} bytes: at most {} fit; send it in pieces", bytes,
                      max_medium_);
  if (data == nullptr && bytes != 0)
    return base::fail(AM_ARGUMENT_ADDRESS, "a medium message of {} bytes at a null address", bytes);
  return send_payload(to, handler, data, bytes, words, wait);
}

am_status endpoint::send_payload(am_rank to, const am_handler* handler, const void* data,
                                 std::size_t bytes, const am_word* words, bool wait) {
  bool waited = false;
  blocked here(shown_.doing);
  for (;;) {
    if (ports_[to]->credits.free() == 0) {
      if (const am_status status = find_credit(to, wait); status != AM_OK) return status;
    }
    seam::port& port = *ports_[to];
    port.credits.take();
    const am_status status = port.send_medium(handler->id, words, data, bytes);
    if (status == AM_OK) {
      ++traffic_[to].mediums;
      traffic_[to].medium_bytes += bytes;
      return AM_OK;
    }
    port.credits.put_back();
    if (status != AM_AGAIN_PAYLOAD || !wait) return status;
    wait_for_room(to, here, waited);
  }
}

// One turn of a call that waits for a credit or for payload room; such a call counts once.
void endpoint::wait_for_room(am_rank to, blocked& here, bool& counted) {
  if (!std::exchange(counted, true)) ++traffic_[to].waits;
  wait_a_turn(here, "a request", &to);
}

// Makes contact if there is none, and a credit free if one has come home; with `wait`, polls until
// one has.
am_status endpoint::find_credit(am_rank to, bool wait) {
  if (ports_[to] == &nowhere_) {
    if (const am_status status = make_contact(to, wait); status != AM_OK) return status;
  }
  bool waited = false;
  blocked here(shown_.doing);
  for (;;) {
    if (is_dead(to)) [[unlikely]]
      return refuse_dead(to);
    refresh(*ports_[to]);
    if (ports_[to]->credits.free() != 0) return AM_OK;
    if (!wait) return AM_AGAIN_CREDIT;
    wait_for_room(to, here, waited);
  }
}

// Asks for credits that have come home without a message. No sign of them will follow, so nobody
// sleeps before the next poll: others wait for them, too, and have asked before.
void endpoint::refresh(seam::port& port) noexcept {
  const std::uint64_t before = port.credits.home();
  port.refresh();
  if (port.credits.home() != before) booked_at_ = polls_;
}

am_status endpoint::refuse_request(const char* call, am_rank to, const am_handler* handler) const {
  if (!in_order()) return refuse(call);
  if (to >= ranks_)
    return base::fail(AM_ARGUMENT_RANK, "{} to rank {}: this job has ranks 0 to {}", call, to,
                      ranks_ - 1);
  return refuse_handler(call, handler);
}

}  // namespace am::detail::core
