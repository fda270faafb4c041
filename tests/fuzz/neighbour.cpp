// All structures that are read from shared memory: a neighbour writes them, the rank polls.
#include "neighbour_acts.hpp"

namespace am_test::fuzz {
namespace {

using act = scenario::act;

void run(bytes_in input, std::span<const act> acts, bool with_segment = false) {
  scenario(input, acts, with_segment).run();
}

}  // namespace

// Slots of the neighbour's requests, its payload room, and its own words beside the rings.
AM_FUZZ_TARGET(shm_requests) {
  static constexpr act acts[] = {
      &scenario::publish,       &scenario::publish_valid,      &scenario::poll,
      &scenario::write_payload, &scenario::write_channel_word, &scenario::overwrite_slot};
  run(input, acts);
}

// Slots of the replies that the neighbour writes, `silent`, `payload_done`.
AM_FUZZ_TARGET(shm_replies) {
  static constexpr act acts[] = {&scenario::answer,
                                 &scenario::request,
                                 &scenario::request_medium,
                                 &scenario::poll,
                                 &scenario::write_channel_word,
                                 &scenario::overwrite_slot,
                                 &scenario::arm};
  run(input, acts);
}

// The control block and the list of new senders.
AM_FUZZ_TARGET(shm_control_block) {
  static constexpr act acts[] = {&scenario::write_new_senders,
                                 &scenario::write_control_block,
                                 &scenario::poll,
                                 &scenario::arm,
                                 &scenario::write_channel_word,
                                 &scenario::publish_valid,
                                 &scenario::request};
  run(input, acts);
}

// The neighbour's table of segments.
AM_FUZZ_TARGET(shm_segments) {
  static constexpr act acts[] = {&scenario::list_segment, &scenario::store,
                                 &scenario::get,          &scenario::atomic_operation,
                                 &scenario::poll,         &scenario::write_control_block};
  run(input, acts);
}

// Exit flags, and the memory that a dead rank leaves.
AM_FUZZ_TARGET(shm_deaths) {
  static constexpr act acts[] = {&scenario::write_exit_report,
                                 &scenario::request,
                                 &scenario::request_medium,
                                 &scenario::poll,
                                 &scenario::write_channel_word,
                                 &scenario::overwrite_slot,
                                 &scenario::publish,
                                 &scenario::store,
                                 &scenario::answer};
  run(input, acts);
}

// libam's own messages: stores, gets and atomic operations in pieces.
AM_FUZZ_TARGET(bulk_messages) {
  static constexpr act acts[] = {
      &scenario::publish, &scenario::publish_valid, &scenario::write_payload,
      &scenario::poll,    &scenario::get,           &scenario::atomic_operation,
      &scenario::store,   &scenario::answer,        &scenario::write_channel_word};
  run(input, acts, true);
}

// Messages of collectives that this rank has not called.
AM_FUZZ_TARGET(collective_messages) {
  static constexpr act acts[] = {&scenario::publish_of_team, &scenario::write_payload,
                                 &scenario::poll};
  run(input, acts);
}

}  // namespace am_test::fuzz
