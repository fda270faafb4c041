#include <transports/trace/traced_transport.hpp>

namespace am::detail::trace {

am_status traced_port::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes) noexcept {
  const std::uint64_t begin = tracer_.now();
  const am_status status = forwarding_port::send_medium(handler, words, data, bytes);
  if (status == AM_OK) tracer_.add_sent(kind::request, begin, peer, handler, bytes);
  return status;
}

am_status traced_port::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                      std::size_t bytes, seam::answer_place room) noexcept {
  const std::uint64_t begin = tracer_.now();
  const am_status status = forwarding_port::send_with_room(handler, words, data, bytes, room);
  if (status == AM_OK) tracer_.add_sent(kind::request, begin, peer, handler, bytes);
  return status;
}

void traced_port::send_notice(std::uint32_t handler, const am_word* words, void* where,
                              std::size_t bytes) noexcept {
  const std::uint64_t begin = tracer_.now();
  forwarding_port::send_notice(handler, words, where, bytes);
  tracer_.add_sent(kind::notice, begin, peer, handler, bytes);
}

// Of one that is under way the notice leaves later.
seam::transfer_status traced_port::put(seam::transfer& one) noexcept {
  const std::uint64_t begin = tracer_.now();
  const std::uint32_t handler = one.handler;
  const std::size_t bytes = one.bytes;
  const seam::transfer_status reached = forwarding_port::put(one);
  if (reached == seam::transfer_status::done || reached == seam::transfer_status::under_way)
    tracer_.add_sent(kind::notice, begin, peer, handler, bytes);
  return reached;
}

seam::transfer_status traced_port::get(seam::transfer& one) noexcept {
  const std::uint64_t begin = tracer_.now();
  const std::size_t bytes = one.bytes;
  const seam::transfer_status reached = forwarding_port::get(one);
  if (reached == seam::transfer_status::done || reached == seam::transfer_status::under_way)
    tracer_.add_get(begin, peer, bytes);
  return reached;
}

void traced_port::poll_once() noexcept {
  tracer_.deliver([&] { return forwarding_port::poll_once(), 0; });
}

std::uint32_t traced_port::poll_after_send() noexcept {
  return polls_.after_send(
      [this] { return tracer_.deliver([this] { return forwarding_port::poll_after_send(); }); });
}

}  // namespace am::detail::trace
