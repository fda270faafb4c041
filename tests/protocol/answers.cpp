// Requests with room for an answer, and answers with data, against the recording transport: how
// room is allocated and released, and which form an answer takes.
#include "../base/capture.hpp"
#include "four_rank_endpoint.hpp"

#include <libam/core/library_handlers.hpp>
#include <libam/core/store_header.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

namespace protocol_answers {

using am_test::entry;
using am_test::recording_transport;
using am_test::words4;
using form = am::detail::seam::answer::form;
using am::detail::seam::transfer_status;
namespace core = am::detail::core;
namespace wire = am::detail::wire;

namespace {

constexpr wire::payload_sizes sizes(AM_MIN_MAX_MEDIUM);
constexpr std::size_t most = AM_MIN_MAX_MEDIUM;

std::string event_log;

void note(am::request_token) { event_log += 'n'; }
void on_payload(am::reply_token, std::span<const std::byte> data, am::word w) {
  event_log += 't' + std::to_string(data.size()) + '/' + std::to_string(w);
}
void on_words(am::reply_token, am::word w) { event_log += 'd' + std::to_string(w); }
void on_stored(am::reply_token, void*, std::size_t size, am::word w) {
  event_log += 'l' + std::to_string(size) + '/' + std::to_string(w);
}
std::vector<std::byte> to_answer(10, std::byte{7});
void* there = nullptr;
am::status reply_status;
void with_payload(am::request_token t) { t.reply<on_payload>(to_answer, 5); }
void with_store(am::request_token t) {
  reply_status = t.try_reply_store<on_stored>(there, to_answer, 5);
}
void with_words(am::request_token t) { t.reply<on_words>(6); }
void on_undeliverable(am_token, const am_returned* message, void*) {
  event_log += (message->unknown != 0 ? 'u' : 'b') + std::string(am_status_text(message->reason)) +
               std::to_string(message->words[0]);
}

struct fixture : am_test::four_rank_endpoint {
  explicit fixture(std::uint32_t window = 64) : four_rank_endpoint(window) {
    am_ep_on_undeliverable(raw, on_undeliverable, nullptr);
    event_log.clear();
    reply_status = {};
  }
  am_status request_with_room(std::size_t room, am_rank to = 1, const char* data = nullptr) {
    return am_ep_try_request_with_room(raw, to, entry<note>(), data,
                                       data == nullptr ? 0 : std::strlen(data), room, 1, 2, 3, 4);
  }
  void answer(form how, std::size_t bytes = 0, am_rank from = 1) {
    const bool payload = how == form::payload;
    const am_handler* const handler = payload               ? entry<on_payload>()
                                      : how == form::placed ? entry<on_stored>()
                                                            : entry<on_words>();
    wire->receive_answer(from, how, handler->id, {3, 0, 0, 0}, std::vector<std::byte>(bytes),
                         how == form::returned ? AM_ARGUMENT_HANDLER : AM_OK, &event_log);
  }
  // The answer to a request of rank 2.
  const am_test::sent_reply& answer_to(const am_handler* handler, std::uint32_t room) {
    wire->replies.clear();
    if (room == 0)
      wire->receive_request(2, handler->id, {});
    else
      wire->receive_with_room(2, handler->id, {}, room);
    poll();
    REQUIRE(wire->replies.size() == 1);
    return wire->replies[0];
  }
};

// What a rank logs when `work` aborts its process; empty: it does not abort.
template <class Work>
std::string error_of_child(Work&& work) {
  const am_test::captured_errors errors;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    (void)::signal(SIGABRT, SIG_DFL);
    fixture fresh;
    (void)fresh.request_with_room(100);
    work(fresh);
    fresh.poll();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? errors.text() : "";
}

bool contains(const std::string& line, const char* what) {
  return line.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "room is allocated in the order of requests, with the exact size of the answer") {
  CHECK(request_with_room(100) == AM_OK);
  CHECK(request_with_room(1, 1, "payload") == AM_OK);
  CHECK(request_with_room(most) == AM_OK);
  CHECK(request_with_room(5, 2) == AM_OK);
  REQUIRE(wire->requests.size() == 4);
  CHECK(wire->answer_room[1] == sizes.room());
  std::uint32_t end = 0;
  const std::size_t wanted[] = {100, 1, most};
  for (unsigned i = 0; i < 3; ++i) {
    REQUIRE(wire->requests[i].room.has_value());
    CHECK(wire->requests[i].room->bytes == wanted[i]);
    CHECK(wire->requests[i].room->offset >= end);
    CHECK(wire->requests[i].room->offset % wire::payload_step == 0);
    end = wire->requests[i].room->offset + wire->requests[i].room->bytes + wire::most_header_bytes;
  }
  CHECK(wire->requests[3].room->offset == 0);  // each pair has its own
  CHECK(wire->requests[1].payload.size() == 7);
  am_traffic with{};
  REQUIRE(am_ep_stats_with(raw, 1, &with, sizeof with) == AM_OK);
  CHECK(with.mediums == 1);
}

TEST_CASE_FIXTURE(fixture, "a request without room is an ordinary one") {
  const unsigned tries = wire->tries;
  CHECK(request_with_room(0, 1) == AM_OK);
  CHECK(wire->tries == tries);  // a small message
  wire->requests.clear();
  CHECK(request_with_room(0, 1, "x") == AM_OK);
  CHECK(wire->tries == tries + 1);
  REQUIRE(wire->requests.size() == 1);
  CHECK_FALSE(wire->requests[0].room.has_value());
  CHECK(wire->answer_room.empty());
}

TEST_CASE_FIXTURE(
    fixture, "room that is used up grows up to its limit, then calls are again(payload room)") {
  std::size_t asked = 0;
  while (request_with_room(most) == AM_OK) ++asked;
  CHECK(asked == sizes.most_answer_room() / (most + wire::most_header_bytes));
  CHECK(wire->answer_room[1] == sizes.most_answer_room());
  CHECK(request_with_room(most) == AM_AGAIN_PAYLOAD);
  CHECK(wire->requests.size() == asked);
  // The credit of the refused request is free again.
  CHECK(wire->credits_to(1).in_flight() == asked);
  answer(form::words);
  answer(form::words);
  CHECK(request_with_room(most) == AM_AGAIN_PAYLOAD);  // not before the handlers have run
  poll();
  CHECK(request_with_room(most) == AM_OK);
}

TEST_CASE_FIXTURE(fixture, "every form of answer releases the room of the oldest request") {
  for (const form how : {form::words, form::payload, form::placed, form::returned}) {
    while (request_with_room(most) == AM_OK) {
    }
    const std::size_t before = wire->requests.size();
    answer(how, how == form::payload ? most : 0);
    answer(how, 0);
    poll();
    CHECK(request_with_room(most) == AM_OK);
    CHECK(wire->requests.size() == before + 1);
  }
  CHECK(event_log == "d3d3t8192/3t0/3l0/3l0/3bargument(handler)3bargument(handler)3");
}

TEST_CASE_FIXTURE(fixture, "without memory for room the call fails, and a later call may succeed") {
  wire->room_status = AM_RESOURCE_SPACE;
  CHECK(request_with_room(10) == AM_RESOURCE_SPACE);
  CHECK(wire->requests.empty());
  CHECK(wire->credits_to(1).in_flight() == 0);
  wire->room_status = AM_OK;
  CHECK(request_with_room(10) == AM_OK);
  CHECK(wire->requests[0].room->offset == 0);
  // No memory for growth: the size stays.
  wire->room_status = AM_RESOURCE_SPACE;
  while (request_with_room(most) == AM_OK) {
  }
  CHECK(wire->requests.size() <= sizes.room() / most);
  CHECK(request_with_room(most) == AM_AGAIN_PAYLOAD);
}

TEST_CASE_FIXTURE(fixture, "a payload without room leaves the room for answers unused") {
  CHECK(request_with_room(100) == AM_OK);
  wire->payload_status = AM_AGAIN_PAYLOAD;
  CHECK(request_with_room(100, 1, "x") == AM_AGAIN_PAYLOAD);
  wire->payload_status = AM_OK;
  CHECK(request_with_room(100) == AM_OK);
  CHECK(wire->requests[1].room->offset == wire->requests[0].room->offset + 144);
  answer(form::words);
  answer(form::words);
  poll();
  CHECK(event_log == "d3d3");
}

TEST_CASE_FIXTURE(fixture, "the room of a dead rank is released") {
  CHECK(request_with_room(100, 2) == AM_OK);
  CHECK(request_with_room(100, 1) == AM_OK);
  wire->inject_death(2);
  poll();
  CHECK(event_log == "bpeer(dead)1");
  CHECK(request_with_room(100, 2) == AM_PEER_DEAD);
  answer(form::payload, 100);
  poll();
  CHECK(event_log == "bpeer(dead)1t100/3");
  const std::string line = error_of_child([](fixture& f) {
    (void)f.request_with_room(100, 2);
    f.wire->inject_death(2);
    f.poll();
    f.answer(form::words, 0, 2);
  });
  CHECK(contains(line, "answers to requests with room that do not exist: 1, where 0 is the most"));
}

TEST_CASE_FIXTURE(fixture, "a handler answers with a payload of at most the room of its request") {
  const auto& sent = answer_to(entry<with_payload>(), 10);
  CHECK(sent.gives_room);
  CHECK(sent.form == form::payload);
  CHECK(sent.handler == entry<on_payload>()->id);
  CHECK(sent.payload == to_answer);
  CHECK(sent.words[0] == 5);
}

TEST_CASE_FIXTURE(fixture,
                  "words, silence and a missing handler release the room of the request, too") {
  CHECK(answer_to(entry<with_words>(), 10).form == form::words);
  CHECK(wire->replies[0].gives_room);
  CHECK(answer_to(entry<note>(), 10).handler == core::no_answer_handler.id);
  CHECK(wire->replies[0].gives_room);
  CHECK(wire->silent_here[2] == 0);
  const am_handler missing{nullptr, "", "", nullptr, 60000, 0};
  CHECK(answer_to(&missing, 10).form == form::returned);
  CHECK(wire->replies[0].gives_room);
  CHECK(wire->replies[0].reason == AM_ARGUMENT_HANDLER);
  // The next request, without room, is an ordinary one.
  CHECK_FALSE(answer_to(entry<with_words>(), 0).gives_room);
}

TEST_CASE_FIXTURE(fixture, "the answer of a silent handler runs no handler at the requester") {
  CHECK(request_with_room(100) == AM_OK);
  wire->receive_answer(1, form::words, core::no_answer_handler.id, {});
  CHECK(poll() == 1);
  CHECK(event_log.empty());
  CHECK(wire->credits_to(1).in_flight() == 0);
}

TEST_CASE_FIXTURE(
    fixture, "bytes for the requester are placed where the transport can, with room or without") {
  std::byte here[10]{};
  there = here;
  wire->place_status = transfer_status::done;
  CHECK_FALSE(answer_to(entry<with_store>(), 0).gives_room);
  CHECK(wire->replies[0].placed == std::pair<const void*, std::size_t>(here, 10));
  CHECK(here[9] == std::byte{7});
  CHECK(answer_to(entry<with_store>(), 20).form == form::placed);
  CHECK(reply_status.ok());
}

TEST_CASE_FIXTURE(fixture, "without room, bytes for a requester that has died are dropped") {
  std::byte here[10]{};
  there = here;
  wire->requester_is_dead = true;
  CHECK(answer_to(entry<with_store>(), 0).placed == std::pair<const void*, std::size_t>(here, 10));
  CHECK(reply_status.ok());
  CHECK(here[9] == std::byte{0});
  // The requester may be alive after all: with room no answer is lost.
  CHECK(answer_to(entry<with_store>(), 10).form == form::payload);
  CHECK(reply_status.ok());
}

TEST_CASE_FIXTURE(
    fixture,
    "otherwise they go in the room; without room the call fails, and the handler may reply") {
  std::byte here[10]{};
  there = here;
  const auto& sent = answer_to(entry<with_store>(), 10);
  CHECK(reply_status.ok());
  CHECK(sent.handler == core::stored_answer_handler.id);
  REQUIRE(sent.payload.size() == 10 + sizeof(core::stored_answer_header));
  CHECK(answer_to(entry<with_store>(), 9).handler == core::no_answer_handler.id);
  CHECK(reply_status == AM_ARGUMENT_SIZE);
  CHECK(std::string(am_error_text()).find("10 bytes: its request of rank 2 has room for 9") !=
        std::string::npos);
  wire->place_status = transfer_status::bad_remote_address;
  CHECK(answer_to(entry<with_store>(), 10).handler == core::no_answer_handler.id);
  CHECK(reply_status == AM_ARGUMENT_ADDRESS);
  wire->place_status = transfer_status::bad_local_address;
  CHECK(answer_to(entry<with_store>(), 10).handler == core::no_answer_handler.id);
  CHECK(reply_status == AM_ARGUMENT_ADDRESS);
}

namespace {

std::vector<std::byte> stored_answer(void* where, std::size_t bytes) {
  const core::stored_answer_header header{reinterpret_cast<std::uintptr_t>(where),
                                          entry<on_stored>()->id};
  std::vector<std::byte> payload(sizeof header + bytes, std::byte{9});
  std::memcpy(payload.data(), &header, sizeof header);
  return payload;
}

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "at the requester they are copied to their address, and their handler runs") {
  std::byte here[64]{};
  CHECK(request_with_room(64) == AM_OK);
  wire->receive_answer(1, form::payload, core::stored_answer_handler.id, {8, 0, 0, 0},
                       stored_answer(here, 64));
  poll();
  CHECK(event_log == "l64/8");
  CHECK(here[0] == std::byte{9});
  CHECK(here[63] == std::byte{9});
  // The reply is returned where its address is not mapped.
  void* const nothing = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(request_with_room(64) == AM_OK);
  wire->receive_answer(1, form::payload, core::stored_answer_handler.id, {8, 0, 0, 0},
                       stored_answer(nothing, 64));
  poll();
  CHECK(event_log == "l64/8uargument(address)8");
  ::munmap(nothing, 4096);
}

TEST_CASE("an answer without a request, or one larger than its room, ends the job") {
  const auto answered_by = [](form how, std::size_t bytes, unsigned times) {
    return error_of_child([=](fixture& f) {
      for (unsigned i = 0; i < times; ++i) f.answer(how, bytes);
    });
  };
  CHECK(answered_by(form::payload, 100, 1).empty());
  CHECK(contains(answered_by(form::payload, 101, 1),
                 "the bytes of an answer: 101, where 100 is the most"));
  CHECK(answered_by(form::words, 0, 1).empty());
  CHECK(contains(answered_by(form::words, 0, 2), "not exist: 1, where 0 is the most"));
  std::byte here[101]{};
  const auto stored = [&](form how, std::vector<std::byte> payload) {
    return error_of_child([&](fixture& f) {
      f.wire->receive_answer(1, how, core::stored_answer_handler.id, {}, payload, AM_OK, here);
    });
  };
  CHECK(stored(form::payload, stored_answer(here, 100)).empty());
  CHECK(contains(stored(form::payload, stored_answer(here, 101)), "117, where 116 is the most"));
  const std::vector<std::byte> short_one(sizeof(core::stored_answer_header) - 1);
  CHECK(contains(stored(form::payload, short_one), "that is too short: 15, where 16 is the least"));
  CHECK(contains(stored(form::placed, stored_answer(here, 1)),
                 "without its bytes: 17, where 0 is the most"));
}

}  // namespace protocol_answers
