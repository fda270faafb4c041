// Everything that is read from shared memory, by structure: a neighbour writes it, the rank polls.
#include "neighbour_acts.hpp"

namespace am_test::fuzz {
namespace {

using act = play::act;

void run(bytes_in input, std::span<const act> acts, bool with_segment = false) {
  play(input, acts, with_segment).run();
}

}  // namespace

// Slots of the neighbour's requests, its payload room, and its own words beside the rings.
AM_FUZZ_TARGET(shm_requests) {
  static constexpr act acts[] = {&play::publish,       &play::publish_right, &play::poll,
                                 &play::write_payload, &play::tell,          &play::scribble};
  run(input, acts);
}

// Slots of the replies that the neighbour writes, `silent`, `payload_done`.
AM_FUZZ_TARGET(shm_replies) {
  static constexpr act acts[] = {&play::answer, &play::request, &play::request_medium,
                                 &play::poll,   &play::tell,    &play::scribble,
                                 &play::arm};
  run(input, acts);
}

// The doorstep and the list of arrivals.
AM_FUZZ_TARGET(shm_doorstep) {
  static constexpr act acts[] = {&play::arrive, &play::knock,         &play::poll,   &play::arm,
                                 &play::tell,   &play::publish_right, &play::request};
  run(input, acts);
}

// The neighbour's table of segments.
AM_FUZZ_TARGET(shm_segments) {
  static constexpr act acts[] = {&play::list_segment, &play::store, &play::get,
                                 &play::change,       &play::poll,  &play::knock};
  run(input, acts);
}

// Obituaries, and the memory that a dead rank leaves behind.
AM_FUZZ_TARGET(shm_deaths) {
  static constexpr act acts[] = {&play::die,     &play::request, &play::request_medium,
                                 &play::poll,    &play::tell,    &play::scribble,
                                 &play::publish, &play::store,   &play::answer};
  run(input, acts);
}

// libam's own messages: stores, gets and atomic operations in pieces.
AM_FUZZ_TARGET(bulk_messages) {
  static constexpr act acts[] = {&play::publish, &play::publish_right, &play::write_payload,
                                 &play::poll,    &play::get,           &play::change,
                                 &play::store,   &play::answer,        &play::tell};
  run(input, acts, true);
}

// Messages of collectives that this rank has not called.
AM_FUZZ_TARGET(collective_messages) {
  static constexpr act acts[] = {&play::publish_of_team, &play::write_payload, &play::poll};
  run(input, acts);
}

}  // namespace am_test::fuzz
