// Requests with room for an answer, and answers with data, against the recording transport: how
// room is given out and comes back, and what goes in which form.
#include "../base/capture.hpp"
#include "one_of_four.hpp"

#include <libam/core/bulk_handlers.hpp>
#include <libam/core/store_header.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

using am_test::entry;
using am_test::recording;
using am_test::words4;
using form = am::detail::seam::answer::form;
using am::detail::seam::reach;
namespace core = am::detail::core;
namespace wire = am::detail::wire;

namespace {

constexpr wire::payload_sizes sizes(AM_MIN_MAX_MEDIUM);
constexpr std::size_t most = AM_MIN_MAX_MEDIUM;

std::string story;

void note(am::request_token) { story += 'n'; }
void took(am::reply_token, std::span<const std::byte> data, am::word w) {
  story += 't' + std::to_string(data.size()) + '/' + std::to_string(w);
}
void done(am::reply_token, am::word w) { story += 'd' + std::to_string(w); }
void landed(am::reply_token, void*, std::size_t size, am::word w) {
  story += 'l' + std::to_string(size) + '/' + std::to_string(w);
}
std::vector<std::byte> to_answer(10, std::byte{7});
void* there = nullptr;
am::status said;
void with_payload(am::request_token t) { t.reply<took>(to_answer, 5); }
void with_store(am::request_token t) { said = t.try_reply_store<landed>(there, to_answer, 5); }
void with_words(am::request_token t) { t.reply<done>(6); }
void take_back(am_token, const am_returned* message, void*) {
  story += (message->unknown != 0 ? 'u' : 'b') + std::string(am_status_text(message->reason)) +
           std::to_string(message->words[0]);
}

struct fixture : am_test::one_of_four {
  explicit fixture(std::uint32_t window = 64) : one_of_four(window) {
    am_ep_on_undeliverable(raw, take_back, nullptr);
    story.clear();
    said = {};
  }
  am_status ask(std::size_t room, am_rank to = 1, const char* data = nullptr) {
    return am_ep_try_request_with_room(raw, to, entry<note>(), data,
                                       data == nullptr ? 0 : std::strlen(data), room, 1, 2, 3, 4);
  }
  void answer(form how, std::size_t bytes = 0, am_rank from = 1) {
    const bool payload = how == form::payload;
    const am_handler* const handler = payload               ? entry<took>()
                                      : how == form::placed ? entry<landed>()
                                                            : entry<done>();
    wire->receive_answer(from, how, handler->id, {3, 0, 0, 0}, std::vector<std::byte>(bytes),
                         how == form::returned ? AM_ARGUMENT_HANDLER : AM_OK, &story);
  }
  // The answer to a request of rank 2.
  const am_test::sent_reply& answered(const am_handler* handler, std::uint32_t room) {
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

// What a rank says when this ends its process; empty: it goes on.
template <class Deed>
std::string last_line(Deed&& deed) {
  const am::test::captured_errors errors;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    (void)::signal(SIGABRT, SIG_DFL);
    fixture fresh;
    (void)fresh.ask(100);
    deed(fresh);
    fresh.poll();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? errors.text() : "";
}

bool says(const std::string& line, const char* what) {
  return line.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "room is given out in the order of requests, with their bytes exactly") {
  CHECK(ask(100) == AM_OK);
  CHECK(ask(1, 1, "payload") == AM_OK);
  CHECK(ask(most) == AM_OK);
  CHECK(ask(5, 2) == AM_OK);
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
  CHECK(ask(0, 1) == AM_OK);
  CHECK(wire->tries == tries);  // a small message
  wire->requests.clear();
  CHECK(ask(0, 1, "x") == AM_OK);
  CHECK(wire->tries == tries + 1);
  REQUIRE(wire->requests.size() == 1);
  CHECK_FALSE(wire->requests[0].room.has_value());
  CHECK(wire->answer_room.empty());
}

TEST_CASE_FIXTURE(fixture,
                  "room that is used up grows, then it is again(payload room), until an answer") {
  std::size_t asked = 0;
  while (ask(most) == AM_OK) ++asked;
  CHECK(asked == sizes.most_answer_room() / (most + wire::most_header_bytes));
  CHECK(wire->answer_room[1] == sizes.most_answer_room());
  CHECK(ask(most) == AM_AGAIN_PAYLOAD);
  CHECK(wire->requests.size() == asked);
  CHECK(wire->credits_to(1).on_their_way() == asked);  // that of what was refused is back
  answer(form::words);
  answer(form::words);
  CHECK(ask(most) == AM_AGAIN_PAYLOAD);  // not before they have run
  poll();
  CHECK(ask(most) == AM_OK);
}

TEST_CASE_FIXTURE(fixture, "every form of answer gives the room of the oldest back") {
  for (const form how : {form::words, form::payload, form::placed, form::returned}) {
    while (ask(most) == AM_OK) {
    }
    const std::size_t before = wire->requests.size();
    answer(how, how == form::payload ? most : 0);
    answer(how, 0);
    poll();
    CHECK(ask(most) == AM_OK);
    CHECK(wire->requests.size() == before + 1);
  }
  CHECK(story == "d3d3t8192/3t0/3l0/3l0/3bargument(handler)3bargument(handler)3");
}

TEST_CASE_FIXTURE(fixture,
                  "where there is no memory for it the call says so, and may be made again") {
  wire->room_status = AM_RESOURCE_SPACE;
  CHECK(ask(10) == AM_RESOURCE_SPACE);
  CHECK(wire->requests.empty());
  CHECK(wire->credits_to(1).on_their_way() == 0);
  wire->room_status = AM_OK;
  CHECK(ask(10) == AM_OK);
  CHECK(wire->requests[0].room->offset == 0);
  // For what it would grow by: then it stays.
  wire->room_status = AM_RESOURCE_SPACE;
  while (ask(most) == AM_OK) {
  }
  CHECK(wire->requests.size() <= sizes.room() / most);
  CHECK(ask(most) == AM_AGAIN_PAYLOAD);
}

TEST_CASE_FIXTURE(fixture, "a payload without room leaves the room for the answer untaken") {
  CHECK(ask(100) == AM_OK);
  wire->payload_status = AM_AGAIN_PAYLOAD;
  CHECK(ask(100, 1, "x") == AM_AGAIN_PAYLOAD);
  wire->payload_status = AM_OK;
  CHECK(ask(100) == AM_OK);
  CHECK(wire->requests[1].room->offset == wire->requests[0].room->offset + 144);
  answer(form::words);
  answer(form::words);
  poll();
  CHECK(story == "d3d3");
}

TEST_CASE_FIXTURE(fixture, "a dead rank's room is forgotten") {
  CHECK(ask(100, 2) == AM_OK);
  CHECK(ask(100, 1) == AM_OK);
  wire->tell_of_death(2);
  poll();
  CHECK(story == "bpeer(dead)1");
  CHECK(ask(100, 2) == AM_PEER_DEAD);
  answer(form::payload, 100);
  poll();
  CHECK(story == "bpeer(dead)1t100/3");
  const std::string line = last_line([](fixture& f) {
    (void)f.ask(100, 2);
    f.wire->tell_of_death(2);
    f.poll();
    f.answer(form::words, 0, 2);
  });
  CHECK(says(line, "answers to requests with room that there are not: 1, where 0 is the most"));
}

TEST_CASE_FIXTURE(fixture,
                  "a handler answers with a payload of at most the room, which its request has") {
  const auto& sent = answered(entry<with_payload>(), 10);
  CHECK(sent.gives_room);
  CHECK(sent.form == form::payload);
  CHECK(sent.handler == entry<took>()->id);
  CHECK(sent.payload == to_answer);
  CHECK(sent.words[0] == 5);
}

TEST_CASE_FIXTURE(fixture, "words, silence and a missing handler answer a request with room, too") {
  CHECK(answered(entry<with_words>(), 10).form == form::words);
  CHECK(wire->replies[0].gives_room);
  CHECK(answered(entry<note>(), 10).handler == core::no_answer_handler.id);
  CHECK(wire->replies[0].gives_room);
  CHECK(wire->silent_here[2] == 0);
  const am_handler missing{nullptr, "", "", nullptr, 60000, 0};
  CHECK(answered(&missing, 10).form == form::returned);
  CHECK(wire->replies[0].gives_room);
  CHECK(wire->replies[0].reason == AM_ARGUMENT_HANDLER);
  // And the next one, without room, is an ordinary one.
  CHECK_FALSE(answered(entry<with_words>(), 0).gives_room);
}

TEST_CASE_FIXTURE(fixture, "no answer runs no handler of the program") {
  CHECK(ask(100) == AM_OK);
  wire->receive_answer(1, form::words, core::no_answer_handler.id, {});
  CHECK(poll() == 1);
  CHECK(story.empty());
  CHECK(wire->credits_to(1).on_their_way() == 0);
}

TEST_CASE_FIXTURE(
    fixture, "bytes for the requester are placed where the transport can, with room or without") {
  std::byte here[10]{};
  there = here;
  wire->places = reach::done;
  CHECK_FALSE(answered(entry<with_store>(), 0).gives_room);
  CHECK(wire->replies[0].placed == std::pair<const void*, std::size_t>(here, 10));
  CHECK(here[9] == std::byte{7});
  CHECK(answered(entry<with_store>(), 20).form == form::placed);
  CHECK(said.ok());
}

TEST_CASE_FIXTURE(fixture, "without room bytes for a requester that has died go to nobody") {
  std::byte here[10]{};
  there = here;
  wire->leads_nowhere = true;
  CHECK(answered(entry<with_store>(), 0).placed == std::pair<const void*, std::size_t>(here, 10));
  CHECK(said.ok());
  CHECK(here[9] == std::byte{0});
  // What seems dead may live: with room nothing is lost.
  CHECK(answered(entry<with_store>(), 10).form == form::payload);
  CHECK(said.ok());
}

TEST_CASE_FIXTURE(
    fixture,
    "otherwise they go in the room; without it nothing happens, and the handler may answer") {
  std::byte here[10]{};
  there = here;
  const auto& sent = answered(entry<with_store>(), 10);
  CHECK(said.ok());
  CHECK(sent.handler == core::stored_answer_handler.id);
  REQUIRE(sent.payload.size() == 10 + sizeof(core::stored_answer_header));
  CHECK(answered(entry<with_store>(), 9).handler == core::no_answer_handler.id);
  CHECK(said == AM_ARGUMENT_SIZE);
  CHECK(std::string(am_error_text()).find("10 bytes: its request of rank 2 has room for 9") !=
        std::string::npos);
  wire->places = reach::bad_address;
  CHECK(answered(entry<with_store>(), 10).handler == core::no_answer_handler.id);
  CHECK(said == AM_ARGUMENT_ADDRESS);
  wire->places = reach::bad_here;
  CHECK(answered(entry<with_store>(), 10).handler == core::no_answer_handler.id);
  CHECK(said == AM_ARGUMENT_ADDRESS);
}

namespace {

std::vector<std::byte> stored_answer(void* where, std::size_t bytes) {
  const core::stored_answer_header header{reinterpret_cast<std::uintptr_t>(where),
                                          entry<landed>()->id};
  std::vector<std::byte> payload(sizeof header + bytes, std::byte{9});
  std::memcpy(payload.data(), &header, sizeof header);
  return payload;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "at the requester they come to their address, and their handler runs") {
  std::byte here[64]{};
  CHECK(ask(64) == AM_OK);
  wire->receive_answer(1, form::payload, core::stored_answer_handler.id, {8, 0, 0, 0},
                       stored_answer(here, 64));
  poll();
  CHECK(story == "l64/8");
  CHECK(here[0] == std::byte{9});
  CHECK(here[63] == std::byte{9});
  // Where nothing is mapped the reply is told of.
  void* const nothing = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(ask(64) == AM_OK);
  wire->receive_answer(1, form::payload, core::stored_answer_handler.id, {8, 0, 0, 0},
                       stored_answer(nothing, 64));
  poll();
  CHECK(story == "l64/8uargument(address)8");
  ::munmap(nothing, 4096);
}

TEST_CASE("an answer nobody waits for, or one of more bytes than it may have, ends the job") {
  const auto answered_by = [](form how, std::size_t bytes, unsigned times) {
    return last_line([=](fixture& f) {
      for (unsigned i = 0; i < times; ++i) f.answer(how, bytes);
    });
  };
  CHECK(answered_by(form::payload, 100, 1).empty());
  CHECK(says(answered_by(form::payload, 101, 1),
             "the bytes of an answer: 101, where 100 is the most"));
  CHECK(answered_by(form::words, 0, 1).empty());
  CHECK(says(answered_by(form::words, 0, 2), "not: 1, where 0 is the most"));
  std::byte here[101]{};
  const auto stored = [&](form how, std::vector<std::byte> payload) {
    return last_line([&](fixture& f) {
      f.wire->receive_answer(1, how, core::stored_answer_handler.id, {}, payload, AM_OK, here);
    });
  };
  CHECK(stored(form::payload, stored_answer(here, 100)).empty());
  CHECK(says(stored(form::payload, stored_answer(here, 101)), "117, where 116 is the most"));
  const std::vector<std::byte> short_one(sizeof(core::stored_answer_header) - 1);
  CHECK(says(stored(form::payload, short_one), "that is too short: 15, where 16 is the least"));
  CHECK(says(stored(form::placed, stored_answer(here, 1)),
             "without its bytes: 17, where 0 is the most"));
}
