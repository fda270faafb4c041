#include <transports/trace/tracer.hpp>

#include <transports/trace/traced_transport.hpp>

namespace am::detail::trace {

// ---- answers ------------------------------------------------------------------------------------

am_status traced_answers::reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                                am_word w3) noexcept {
  tracer_.add_sent_now(kind::answer, requester_, handler);
  return forwarding_return_path::reply(handler, w0, w1, w2, w3);
}

void traced_answers::reply_at(std::uint32_t handler, const am_word* words, void* where,
                              std::size_t bytes) noexcept {
  const std::uint64_t begin = tracer_.now();
  forwarding_return_path::reply_at(handler, words, where, bytes);
  tracer_.add_sent(kind::answer, begin, requester_, handler, bytes);
}

// No handler of the table runs for one that is returned: core reports it.
void traced_answers::answer(const seam::answer& one) noexcept {
  const std::uint64_t begin = tracer_.now();
  forwarding_return_path::answer(one);
  if (one.what == seam::answer::form::returned) return;
  tracer_.add_sent(kind::answer, begin, requester_, one.handler, one.bytes);
}

// ---- the tracer ---------------------------------------------------------------------------------

std::unique_ptr<seam::transport> tracer::wrap(std::unique_ptr<seam::transport> inner) {
  return std::make_unique<traced_transport>(std::move(inner), *this);
}

void tracer::name_handlers(std::span<const seam::inbox::entry> table) {
  std::uint32_t number = 0;
  for (const seam::inbox::entry& one : table) writer_.name_handler(number++, one.label);
}

void tracer::after_handler(const seam::running_message& one) noexcept {
  handled_.peer = one.from;
  handled_.handler = one.handler;
  handled_.bytes = one.bytes;
  if (!delivering_ || one.from == me_) {
    handled_.what = kind::on_end;
    return end_handler(writer_.now());
  }
  handled_.what = kind_of(one);
  const unsigned index =
      static_cast<unsigned>(handled_.what) - static_cast<unsigned>(kind::on_request);
  handled_.sequence = pairs_[one.from].come[index]++;
}

// ---- for core -----------------------------------------------------------------------------------

std::unique_ptr<seam::message_hooks> make_tracer(const seam::transport_context& context,
                                                 writer& to) {
  return std::make_unique<tracer>(context, to);
}

}  // namespace am::detail::trace
