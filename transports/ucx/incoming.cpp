#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/incoming.hpp>

#include <cstring>

namespace am::detail::ucx {

// Every frame but goodbye's has a message that took a credit of one side or the other, or tells of
// silent requests, of which each took one. Ranks may differ in how many they have.
incoming::incoming(const seam::host& host, engine& ucx, standing& pair,
                   seam::sender_credits& of_pair, packed::frame_writer& frames_out,
                   outgoing& way_back, peers& all, channel_keeper& keeper)
    : ucx_(ucx),
      pair_(pair),
      frames_out_(frames_out),
      way_back_(way_back),
      peers_(all),
      keeper_(keeper),
      reader_(host.arrivals, pair.of().peer, of_pair, frames_out, pair.of().peer, ucx.payloads()),
      peer_(pair.of().peer),
      most_ahead_(4 * base::most_credits + 64) {}

bool incoming::take(std::span<const std::byte> frame, bool lent, unsigned& budget) noexcept {
  if (!pair_.is_open()) return false;
  const std::size_t most = wire::most_frame_bytes(ucx_.payloads());
  if (frame.size() < wire::frame_header_bytes || frame.size() > most) {
    pair_.lose(base::format("a frame of {} bytes; it may have {} to {}", frame.size(),
                            wire::frame_header_bytes, most));
    return false;
  }
  const std::uint32_t number = wire::unpacker::number_of(frame.data());
  if (reader_.is_inside() || budget == 0 || number != reader_.next_number() ||
      kept_.contains(number))
    return keeps(number, frame, lent);
  if (!is_aligned(frame.data())) {
    std::memcpy(ucx_.room_for_frame(), frame.data(), frame.size());
    frame = {ucx_.room_for_frame(), frame.size()};
  }
  if (!begin_frame(frame)) return false;
  deliver(budget);
  if (!pair_.is_open()) return false;
  if (!reader_.is_inside()) {
    if (is_next_here()) keeper_.has_input(pair_.of());  // it had come before this one
    return false;
  }
  const auto rest = kept_.try_emplace(number, ucx_.worker(), frame, lent).first;
  reader_.has_moved(rest->second.bytes().data());
  keeper_.has_input(pair_.of());
  return lent;
}

// UCX gives frames as wholes. False: the pair is lost.
bool incoming::begin_frame(std::span<const std::byte> frame) noexcept {
  using found = packed::frame_reader::found;
  const found what = reader_.begin(frame);
  if (what == found::trouble)
    pair_.lose(reader_.trouble());
  else if (what == found::part || reader_.frame_bytes() != frame.size())
    pair_.lose(base::format("a frame of {} bytes comes as {}", reader_.needed(), frame.size()));
  else if (reader_.ended_shortage())
    peers_.has_news();
  return pair_.is_open();
}

// As much of the frame as the budget allows.
void incoming::deliver(unsigned& budget) noexcept {
  using stop = packed::frame_reader::stop;
  while (pair_.is_open()) {
    switch (reader_.deliver(budget)) {
      case stop::full_frame: way_back_.send_frame(); break;
      case stop::budget:
      case stop::end_of_frame: return;
      case stop::piece:
        return pair_.lose(
            base::format("it announces {} bytes that do not come this way", reader_.piece().bytes));
      case stop::goodbye: return pair_.leave();
      case stop::trouble: return pair_.lose(reader_.trouble());
    }
  }
}

// ---- lone messages ------------------------------------------------------------------------------

void incoming::take_alone(const lone_message& what, std::span<const std::byte> words,
                          unsigned& budget) noexcept {
  if (!pair_.is_open()) return;
  am_word all[AM_WORDS] = {};
  if (words.size() > sizeof all || words.size() % sizeof all[0] != 0)
    return pair_.lose(
        base::format("a message without its frame has {} bytes; it may have up to {} "
                     "words of {}",
                     words.size(), AM_WORDS, sizeof all[0]));
  for (std::size_t i = 0; i < AM_WORDS; ++i)
    if (i * sizeof all[0] < words.size())
      all[i] = wire::read_number<am_word>(words.data() + i * sizeof all[0]);
  if (budget == 0 || !kept_.empty()) return keep_alone(what, all);
  if (!reader_.take_lone(what.kind, what.has_silent, what.handler, all))
    return pair_.lose(reader_.trouble());
  --budget;
  if (reader_.ended_shortage()) peers_.has_news();
  if (frames_out_.is_full()) way_back_.send_frame();
}

// As the frame that it would have come in, behind all that has come: its sender knows of nothing
// that it could have passed.
void incoming::keep_alone(const lone_message& what, const am_word* words) {
  std::uint32_t number = reader_.next_number();
  std::uint32_t silent = reader_.silent() + (what.has_silent ? 1 : 0);
  for (auto before = kept_.find(number); before != kept_.end(); before = kept_.find(++number))
    silent = wire::unpacker::silent_of(before->second.bytes().data()) + (what.has_silent ? 1 : 0);
  wire::message one{};
  one.kind = what.kind;
  one.handler = what.handler;
  std::copy_n(words, AM_WORDS, one.words);
  wire::packer frame(wire::full_frame_bytes, peer_, ucx_.payloads(), number);
  frame.add(one);
  (void)keeps(number, frame.close(silent), false);
}

// ---- what is kept -------------------------------------------------------------------------------

bool incoming::keeps(std::uint32_t number, std::span<const std::byte> frame, bool lent) noexcept {
  const std::uint32_t ahead = number - reader_.next_number();
  if (ahead > most_ahead_ || kept_.contains(number)) {
    pair_.lose(
        base::format("a frame numbered {} comes where {} is due", number, reader_.next_number()));
    return false;
  }
  kept_.try_emplace(number, ucx_.worker(), frame, lent);
  keeper_.has_input(pair_.of());
  return lent;
}

void incoming::take_kept(unsigned& budget) noexcept {
  while (budget != 0 && is_next_here()) next_kept(budget);
}

// Inside a kept frame, or before one.
void incoming::next_kept(unsigned& budget) noexcept {
  if (!reader_.is_inside() && !begin_frame(kept_.at(reader_.next_number()).bytes())) return;
  deliver(budget);
  if (!reader_.is_inside() && pair_.is_open()) kept_.erase(reader_.next_number() - 1);
}

void incoming::take_counters() noexcept {
  while (is_next_here() && !(reader_.is_inside() && reader_.has_messages())) {
    unsigned none = 0;
    next_kept(none);
  }
}

}  // namespace am::detail::ucx
