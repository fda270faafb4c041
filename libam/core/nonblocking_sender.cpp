#include <libam/core/nonblocking_sender.hpp>

namespace am::detail::core {

am_status nonblocking_sender::find_credit(am_rank to) {
  if (peers_.port(to).credits.free() != 0) return AM_OK;
  if (!peers_.has_contact(to)) {
    if (const am_status status = peers_.try_contact(to); status != AM_OK) return status;
  }
  if (peers_.is_dead(to)) [[unlikely]]
    return peers_.refuse_dead(to);
  refresh_credits(peers_.port(to));
  return peers_.port(to).credits.free() != 0 ? AM_OK : AM_AGAIN_CREDIT;
}

void nonblocking_sender::refresh_credits(seam::port& port) noexcept {
  const std::uint64_t before = port.credits.completed();
  port.refresh_credits();
  if (port.credits.completed() != before) clock_.note_unannounced();
}

am_status nonblocking_sender::find_credit_or_defer(am_rank to) {
  const am_status status = find_credit(to);
  return status == AM_OK ? status : defer(to, status);
}

am_status nonblocking_sender::request(am_rank to, const am_handler& handler, am_word w0, am_word w1,
                                      am_word w2, am_word w3) {
  if (const am_status status = find_credit(to); status != AM_OK) return status;
  seam::port& port = peers_.port(to);
  port.credits.take();
  port.send(handler.id, w0, w1, w2, w3);
  return AM_OK;
}

am_status nonblocking_sender::medium(am_rank to, const am_handler& handler, const void* data,
                                     std::size_t bytes, const am_word* words) {
  if (const am_status status = find_credit(to); status != AM_OK) return status;
  seam::port& port = peers_.port(to);
  port.credits.take();
  const am_status status = port.send_medium(handler.id, words, data, bytes);
  if (status != AM_OK) return on_refused(to, status);
  count_medium(to, bytes);
  return AM_OK;
}

am_status nonblocking_sender::send_with_room(am_rank to, const am_handler& handler,
                                             const void* data, std::size_t bytes, std::size_t room,
                                             const am_word* words) {
  if (const am_status status = find_credit(to); status != AM_OK) return status;
  seam::port& port = peers_.port(to);
  seam::answer_place place{};
  const wire::payload_sizes sizes(static_cast<std::uint32_t>(peers_.max_medium()));
  am_status status = rooms.take(port, to, sizes, room, place);
  if (status != AM_OK) return status;
  port.credits.take();
  status = port.send_with_room(handler.id, words, data, bytes, place);
  if (status != AM_OK) {
    rooms.undo_take(to);
    return on_refused(to, status);
  }
  if (data != nullptr) count_medium(to, bytes);
  return AM_OK;
}

am_status nonblocking_sender::on_refused(am_rank to, am_status why) noexcept {
  put_back_credit(to);
  return why;
}

void nonblocking_sender::count_medium(am_rank to, std::size_t bytes) noexcept {
  ++peers_.traffic(to).mediums;
  peers_.traffic(to).medium_bytes += bytes;
}

}  // namespace am::detail::core
