// The acts of the neighbour.
#include "neighbour_acts.hpp"

#include <libam/core/library_handlers.hpp>
#include <libam/wire/payload_room.hpp>

#include <cstring>

namespace am_test::fuzz {

namespace core = am::detail::core;
namespace seam = am::detail::seam;
namespace shm = am::detail::shm;

// Publishes the slot that the reader checks next; a growth continues in the new half.
void scenario::ring_writer::publish(std::uint64_t control) noexcept {
  first[at].control.store((control & ~std::uint64_t{0xffff}) | lap, std::memory_order_release);
  // Grows once more than the room allows: then the rank must not follow.
  const bool grows = shm::kind_of(control) == shm::kind::grow && slots <= 2 * shm::first_slots;
  if (grows) {
    at = slots;
    slots *= 2;
  } else if (++at == slots) {
    at = 0;
    lap = shm::next_generation(lap);
  }
}

// Valid and invalid numbers and addresses. None refers to existing memory outside the test's.
std::uint64_t scenario::word() {
  const unsigned mode = input_.byte();
  const unsigned low = input_.byte();
  const auto small = static_cast<std::uint16_t>(low | static_cast<unsigned>(input_.byte()) << 8);
  const auto near = static_cast<std::uint64_t>(static_cast<std::int16_t>(small));
  switch (mode % 8) {
    case 0: return small & 0xff;
    case 1: return small;
    case 2: return reinterpret_cast<std::uintptr_t>(open_.data()) + near;
    case 3: return segment_ == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(segment_) + near;
    case 4: return ~std::uint64_t{small};
    case 5: return std::uint64_t{small} << 48;
    case 6: return std::uint64_t{small} << 8;  // of numbers with a kind in the low byte
    default: return (small & 0xff) * shm::page;
  }
}

std::uint32_t scenario::number() {
  const unsigned mode = input_.byte();
  if (mode % 4 == 0) return input_.number();
  if (mode % 4 == 1) return ~std::uint32_t{input_.byte()};
  return mode % 4 == 2 ? input_.byte() : input_.number() & 0xffff;
}

// In separate statements: compilers evaluate the arguments of a call in different orders.
void scenario::fill_words(shm::slot& one) {
  for (am_word& each : one.words) each = word();
}

void scenario::fill(shm::slot& one, shm::kind what) {
  fill_words(one);
  if (what == shm::kind::bulk) {
    one.bulk = {reinterpret_cast<void*>(word()), word()};
  } else {
    one.payload = {number(), number(), number(), 0};
    one.payload.room = one.payload.end;  // of a request with room
  }
}

void scenario::publish() {
  const auto what = static_cast<shm::kind>(input_.byte() % 8);
  const std::uint8_t how = input_.byte();
  const std::uint64_t room = how < 128 ? 0 : shm::answer_offset_in_control((how & 0x7eU) * 256);
  const std::uint64_t flags = static_cast<std::uint64_t>(how & 1) << 24 | room;
  const std::uint32_t to = handler();
  fill(requests_.next(), what);
  requests_.publish(shm::control_of(what, to, flags));
}

void scenario::publish_valid() {
  const bool medium = (input_.byte() & 1) != 0;
  const std::uint32_t to = handler();
  shm::slot& one = requests_.next();
  fill_words(one);
  one.payload = {16U * input_.byte(), input_.byte(), 0, 0};
  requests_.publish(shm::control_of(medium ? shm::kind::medium : shm::kind::small, to));
}

void scenario::publish_of_team() {
  const auto what = static_cast<shm::kind>(input_.byte() % 8);
  const bool piece = (input_.byte() & 1) != 0;
  fill(requests_.next(), what);
  requests_.publish(
      shm::control_of(what, piece ? core::team_piece_handler.id : core::team_small_handler.id));
}

void scenario::answer() {
  const auto what = static_cast<shm::kind>(input_.byte() % 8);
  const std::uint32_t to = handler();
  const std::uint8_t how = input_.byte();
  const std::uint64_t high = how % 4 != 0 ? 0 : std::uint64_t{input_.number()} << 48;
  // Whether or not it answers a request with room, and whether or not the form is valid.
  const auto form = static_cast<seam::answer::form>(how < 128 ? 0 : how / 4 % 8);
  fill(replies_.next(), what);
  replies_.publish(shm::control_of(what, to) | high | shm::form_in_control(form));
}

void scenario::overwrite_slot() {
  shm::slot* const rings[] = {job_.requests(neighbour, me), job_.replies(neighbour, me),
                              job_.requests(me, neighbour), job_.replies(me, neighbour)};
  shm::slot& one = rings[input_.byte() % 4][input_.byte() % 128];
  const unsigned place = input_.byte() % 8;
  if (place == 0) {
    one.control.store(input_.long_number(), std::memory_order_relaxed);
  } else if (place <= AM_WORDS) {
    one.words[place - 1] = word();
  } else if (place == AM_WORDS + 1) {
    one.payload = {number(), number(), number(), 0};
    one.payload.room = one.payload.end;  // of a request with room
  } else {
    one.bulk = {reinterpret_cast<void*>(word()), word()};
  }
}

void scenario::write_payload() {
  auto* const room = job_.payload(neighbour, me) + 16U * input_.byte();
  const unsigned count = input_.byte() % 5;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t one = word();
    std::memcpy(room + i * sizeof one, &one, sizeof one);
  }
}

void scenario::write_channel_word() {
  shm::channel_state& out = job_.channel(me, neighbour);
  shm::channel_state& in = job_.channel(neighbour, me);
  std::atomic<std::uint32_t>* const words[] = {
      &out.silent,         &out.payload_done,  &out.requests_quiet,
      &out.replies_paused, &out.replies_quiet, &out.requests_paused,
      &out.begun,          &in.silent,         &in.payload_done,
      &in.requests_quiet,  &in.replies_paused, &in.replies_quiet,
      &in.requests_paused, &in.begun};
  std::atomic<std::uint32_t>& one = *words[input_.byte() % std::size(words)];
  const bool further = (input_.byte() & 1) != 0;
  one = (further ? one.load() : 0) + number();
}

void scenario::write_new_senders() {
  const am_rank next = input_.byte() % 6;
  for (am_rank from = 0; from < job_ranks; ++from)
    job_.channel(from, me).next_new_sender = input_.byte() % 6;
  job_.control_block(me).new_senders = next == 5 ? number() : next;
  job_.control_block(me).attention.fetch_or(shm::new_senders_bit);
}

void scenario::write_control_block() {
  switch (input_.byte() % 5) {
    case 0: job_.control_block(me).attention = input_.long_number(); break;
    case 1: job_.control_block(me).asleep = input_.byte(); break;
    case 2: job_.control_block(neighbour).asleep = input_.byte(); break;
    case 3: job_.control_block(neighbour).membarrier_registered = input_.byte() & 1; break;
    default:
      job_.control_block(neighbour).pid = static_cast<std::int32_t>(number());
      job_.control_block(neighbour).token_address = word();
      job_.control_block(neighbour).token = word();
  }
}

void scenario::write_exit_report() {
  job_.control_block(input_.byte() % 4 == 0 ? input_.byte() % job_ranks : neighbour).exit_report =
      1;
  job_.control_block(me).attention.fetch_or(shm::deaths_bit);
}

void scenario::list_segment() {
  auto& directory = job_.at<shm::segment_directory>(job_.layout().directory_at(neighbour));
  shm::segment_entry& entry = directory.entries[input_.byte() % shm::most_segments];
  entry.address = word();
  entry.bytes = word();
  const std::size_t places[] = {job_.layout().segments_at(neighbour), job_.foreign_page(),
                                job_.layout().segments_at(0), job_.layout().directory_at(me)};
  const std::size_t place = places[input_.byte() % std::size(places)];
  entry.offset = place + word();
  const unsigned how = input_.byte() % 8;
  directory.version = how == 0 ? number() : directory.version + (how == 1 ? 1 : 2);
}

void scenario::run_neighbour_act() {
  static constexpr act all[] = {&scenario::publish,           &scenario::answer,
                                &scenario::overwrite_slot,    &scenario::write_channel_word,
                                &scenario::write_new_senders, &scenario::write_control_block,
                                &scenario::list_segment};
  if (nested_acts_ != 0 || input_.empty()) return;
  ++nested_acts_;
  (this->*all[input_.byte() % std::size(all)])();
  --nested_acts_;
}

}  // namespace am_test::fuzz
