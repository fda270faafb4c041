// The acts of the neighbour.
#include "neighbour_acts.hpp"

#include <libam/core/bulk_handlers.hpp>
#include <libam/core/team_handlers.hpp>
#include <libam/wire/payload_room.hpp>

#include <cstring>

namespace am_test::fuzz {

namespace core = am::detail::core;
namespace seam = am::detail::seam;
namespace shm = am::detail::shm;

// A slot where one is full is what the other side looks for; a growth goes on in the new half.
void play::pen::publish(std::uint64_t control) noexcept {
  first[at].control.store((control & ~std::uint64_t{0xffff}) | lap, std::memory_order_release);
  // Once more than there is room for: then the rank must not follow.
  const bool grows = shm::kind_of(control) == shm::kind::grow && slots <= 2 * shm::first_slots;
  if (grows) {
    at = slots;
    slots *= 2;
  } else if (++at == slots) {
    at = 0;
    lap = shm::after(lap);
  }
}

// Numbers and addresses that mean something, and some that do not. None is of memory that is there
// and not the test's.
std::uint64_t play::word() {
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

std::uint32_t play::number() {
  const unsigned mode = input_.byte();
  if (mode % 4 == 0) return input_.number();
  if (mode % 4 == 1) return ~std::uint32_t{input_.byte()};
  return mode % 4 == 2 ? input_.byte() : input_.number() & 0xffff;
}

// One after the other: compilers differ in which argument of a call they ask for first.
void play::fill_words(shm::slot& one) {
  for (am_word& each : one.words) each = word();
}

void play::fill(shm::slot& one, shm::kind what) {
  fill_words(one);
  if (what == shm::kind::bulk) {
    one.bulk = {reinterpret_cast<void*>(word()), word()};
  } else {
    one.payload = {number(), number(), number(), 0};
    one.payload.room = one.payload.end;  // of a request that has any
  }
}

void play::publish() {
  const auto what = static_cast<shm::kind>(input_.byte() % 8);
  const std::uint8_t how = input_.byte();
  const std::uint64_t room = how < 128 ? 0 : shm::room_in_control((how & 0x7eU) * 256);
  const std::uint64_t flags = static_cast<std::uint64_t>(how & 1) << 24 | room;
  const std::uint32_t to = handler();
  fill(requests_.next(), what);
  requests_.publish(shm::control_of(what, to, flags));
}

void play::publish_right() {
  const bool medium = (input_.byte() & 1) != 0;
  const std::uint32_t to = handler();
  shm::slot& one = requests_.next();
  fill_words(one);
  one.payload = {16U * input_.byte(), input_.byte(), 0, 0};
  requests_.publish(shm::control_of(medium ? shm::kind::medium : shm::kind::small, to));
}

void play::publish_of_team() {
  const auto what = static_cast<shm::kind>(input_.byte() % 8);
  const bool piece = (input_.byte() & 1) != 0;
  fill(requests_.next(), what);
  requests_.publish(
      shm::control_of(what, piece ? core::team_piece_handler.id : core::team_few_handler.id));
}

void play::answer() {
  const auto what = static_cast<shm::kind>(input_.byte() % 8);
  const std::uint32_t to = handler();
  const std::uint8_t how = input_.byte();
  const std::uint64_t high = how % 4 != 0 ? 0 : std::uint64_t{input_.number()} << 48;
  // Whether or not it is an answer to a request with room, and whether or not there is such a form.
  const auto form = static_cast<seam::answer::form>(how < 128 ? 0 : how / 4 % 8);
  fill(replies_.next(), what);
  replies_.publish(shm::control_of(what, to) | high | shm::form_in_control(form));
}

void play::scribble() {
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
    one.payload.room = one.payload.end;  // of a request that has any
  } else {
    one.bulk = {reinterpret_cast<void*>(word()), word()};
  }
}

void play::write_payload() {
  auto* const room = job_.payload(neighbour, me) + 16U * input_.byte();
  const unsigned count = input_.byte() % 5;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t one = word();
    std::memcpy(room + i * sizeof one, &one, sizeof one);
  }
}

void play::tell() {
  shm::channel_lines& out = job_.lines(me, neighbour);
  shm::channel_lines& in = job_.lines(neighbour, me);
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

void play::arrive() {
  const am_rank next = input_.byte() % 6;
  for (am_rank from = 0; from < job_ranks; ++from)
    job_.lines(from, me).next_arrival = input_.byte() % 6;
  job_.door(me).arrivals = next == 5 ? number() : next;
  job_.door(me).attention.fetch_or(shm::arrivals_bit);
}

void play::knock() {
  switch (input_.byte() % 5) {
    case 0: job_.door(me).attention = input_.long_number(); break;
    case 1: job_.door(me).asleep = input_.byte(); break;
    case 2: job_.door(neighbour).asleep = input_.byte(); break;
    case 3: job_.door(neighbour).passes_barriers = input_.byte() & 1; break;
    default:
      job_.door(neighbour).pid = static_cast<std::int32_t>(number());
      job_.door(neighbour).token_at = word();
      job_.door(neighbour).token = word();
  }
}

void play::die() {
  job_.door(input_.byte() % 4 == 0 ? input_.byte() % job_ranks : neighbour).obituary = 1;
  job_.door(me).attention.fetch_or(shm::deaths_bit);
}

void play::list_segment() {
  auto& directory = job_.at<shm::segment_directory>(job_.places().directory_at(neighbour));
  shm::segment_entry& entry = directory.entries[input_.byte() % shm::most_segments];
  entry.address = word();
  entry.bytes = word();
  const std::size_t places[] = {job_.places().segments_at(neighbour), job_.strangers_page(),
                                job_.places().segments_at(0), job_.places().directory_at(me)};
  const std::size_t place = places[input_.byte() % std::size(places)];
  entry.offset = place + word();
  const unsigned how = input_.byte() % 8;
  directory.version = how == 0 ? number() : directory.version + (how == 1 ? 1 : 2);
}

void play::meddle() {
  static constexpr act all[] = {&play::publish, &play::answer, &play::scribble,    &play::tell,
                                &play::arrive,  &play::knock,  &play::list_segment};
  if (meddling_ != 0 || input_.empty()) return;
  ++meddling_;
  (this->*all[input_.byte() % std::size(all)])();
  --meddling_;
}

}  // namespace am_test::fuzz
