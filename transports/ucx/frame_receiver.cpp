#include <transports/ucx/frame_receiver.hpp>

#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>

#include <cstring>

namespace am::detail::ucx {

// For max_ahead_: every frame but the goodbye has a message that took a credit of one side or the
// other, or reports silent requests, each of which took one. The ranks may differ in their credits.
frame_receiver::frame_receiver(const seam::transport_context& context, engine& ucx,
                               pair_state& pair, seam::sender_credits& credits,
                               packed::frame_writer& frames_out, frame_sender& sender,
                               peers& all_peers, channel_manager& manager)
    : ucx_(ucx),
      pair_(pair),
      frames_out_(frames_out),
      sender_(sender),
      peers_(all_peers),
      manager_(manager),
      reader_(context.arrivals, pair.owner().peer, credits, frames_out, pair.owner().peer,
              ucx.payloads()),
      peer_(pair.owner().peer),
      max_ahead_(4 * base::most_credits + 64) {}

bool frame_receiver::take_frame(std::span<const std::byte> frame, bool holdable,
                                unsigned& budget) noexcept {
  if (!pair_.is_open()) return false;
  const std::size_t most = ucx_.most_frame_bytes();
  if (frame.size() < wire::frame_header_bytes || frame.size() > most) {
    pair_.on_violation(base::format("a frame of {} bytes; it may have {} to {}", frame.size(),
                                    wire::frame_header_bytes, most));
    return false;
  }
  const std::uint32_t number = wire::unpacker::number_of(frame.data());
  if (reader_.in_frame() || budget == 0 || number != reader_.next_number() ||
      kept_.contains(number))
    return keep_frame(number, frame, holdable);
  if (!is_aligned(frame.data())) {
    std::memcpy(ucx_.aligned_buffer(), frame.data(), frame.size());
    frame = {ucx_.aligned_buffer(), frame.size()};
  }
  if (!begin_frame(frame)) return false;
  deliver(budget);
  if (!reader_.in_frame()) {
    if (is_next_available()) manager_.on_input(pair_.owner());  // it had come before this one
    return false;
  }
  const auto rest = kept_.try_emplace(number, ucx_.worker(), frame, holdable).first;
  reader_.relocate_frame(rest->second.bytes().data());
  manager_.on_input(pair_.owner());
  return holdable;
}

// UCX delivers frames whole. False: none has begun, and the pair is lost.
bool frame_receiver::begin_frame(std::span<const std::byte> frame) noexcept {
  using parse_result = packed::frame_reader::parse_result;
  const parse_result what = reader_.begin(frame);
  const bool is_whole = what == parse_result::frame && reader_.frame_bytes() == frame.size();
  if (what != parse_result::error && !is_whole)
    reader_.fail(
        base::format("a frame of {} bytes has come with {}", reader_.needed(), frame.size()));
  if (!reader_.in_frame()) {
    pair_.on_violation(reader_.error_text());
    return false;
  }
  if (reader_.restored_credits()) peers_.note_credits_or_room();
  return true;
}

// Delivers as much of the frame as the budget allows, also where the pair is lost meanwhile: the
// frame's counter of silent requests is booked, and so its answers have to be.
void frame_receiver::deliver(unsigned& budget) noexcept {
  using stop_reason = packed::frame_reader::stop_reason;
  while (reader_.in_frame()) {
    switch (reader_.deliver(budget)) {
      case stop_reason::full_frame:
        if (pair_.is_open()) sender_.send_frame();
        break;
      case stop_reason::budget:
      case stop_reason::end_of_frame: return;
      case stop_reason::piece:
        return pair_.on_violation(
            base::format("it announces {} bytes that do not come over UCX", reader_.piece().bytes));
      case stop_reason::goodbye: return pair_.mark_left();
      case stop_reason::error: return pair_.on_violation(reader_.error_text());
    }
  }
}

// ---- lone messages ------------------------------------------------------------------------------

void frame_receiver::take_lone_message(const lone_message& what, std::span<const std::byte> words,
                                       unsigned& budget) noexcept {
  if (!pair_.is_open()) return;
  am_word all[AM_WORDS] = {};
  if (words.size() > sizeof all || words.size() % sizeof all[0] != 0)
    return pair_.on_violation(
        base::format("a message without its frame has {} bytes; it may have up to {} "
                     "words of {}",
                     words.size(), AM_WORDS, sizeof all[0]));
  for (std::size_t i = 0; i < AM_WORDS; ++i)
    if (i * sizeof all[0] < words.size())
      all[i] = wire::read_number<am_word>(words.data() + i * sizeof all[0]);
  if (budget == 0 || !kept_.empty()) return keep_lone_message(what, all);
  if (!reader_.deliver_lone(what.kind, what.has_silent, what.handler, all))
    return pair_.on_violation(reader_.error_text());
  --budget;
  if (reader_.restored_credits()) peers_.note_credits_or_room();
  if (frames_out_.is_full()) sender_.send_frame();
}

// Keeps the frame that it would have come in, behind all that has come: its sender knows that it
// could not overtake anything.
void frame_receiver::keep_lone_message(const lone_message& what, const am_word* words) {
  std::uint32_t number = reader_.next_number();
  std::uint32_t silent = reader_.silent() + (what.has_silent ? 1 : 0);
  for (auto before = kept_.find(number); before != kept_.end(); before = kept_.find(++number))
    silent = wire::unpacker::silent_of(before->second.bytes().data()) + (what.has_silent ? 1 : 0);
  wire::message one{};
  one.kind = what.kind;
  one.handler = what.handler;
  std::copy_n(words, AM_WORDS, one.words);
  wire::packer frame(full_frame_bytes, peer_, ucx_.payloads(), number);
  frame.add(one);
  (void)keep_frame(number, frame.close(silent), false);
}

// ---- kept frames --------------------------------------------------------------------------------

bool frame_receiver::keep_frame(std::uint32_t number, std::span<const std::byte> frame,
                                bool holdable) noexcept {
  const std::uint32_t ahead = number - reader_.next_number();
  if (ahead > max_ahead_ || kept_.contains(number)) {
    pair_.on_violation(
        base::format("a frame numbered {} comes where {} is due", number, reader_.next_number()));
    return false;
  }
  kept_.try_emplace(number, ucx_.worker(), frame, holdable);
  manager_.on_input(pair_.owner());
  return holdable;
}

void frame_receiver::deliver_kept(unsigned& budget) noexcept {
  while (budget != 0 && is_next_available()) deliver_next_kept(budget);
}

// Requires that is_next_available().
void frame_receiver::deliver_next_kept(unsigned& budget) noexcept {
  if (!reader_.in_frame() && !begin_frame(kept_.at(reader_.next_number()).bytes())) return;
  deliver(budget);
  if (!reader_.in_frame()) kept_.erase(reader_.next_number() - 1);
}

void frame_receiver::take_credits() noexcept {
  while (is_next_available() && !(reader_.in_frame() && reader_.has_messages())) {
    unsigned none = 0;
    deliver_next_kept(none);
  }
}

}  // namespace am::detail::ucx
