// Core against the recording transport when a peer has died: in which order things are told, what
// comes back under which name, and what calls say from then on.
#include "one_of_four.hpp"

#include <libam/core/bulk_handlers.hpp>

#include <string>

using am_test::entry;
using am_test::recording;
namespace core = am::detail::core;

namespace {

std::string story;  // a letter for each thing that is told

void on_silent(am::request_token, am::word) { story += 's'; }
void on_other(am::request_token, am::word) { story += 'o'; }
void on_last_of(am::request_token, am::word peer) {
  recording::last->tell_of_death(static_cast<am_rank>(peer));
}
void on_piece(am::request_token, std::span<const std::byte>) {}
void on_store(am::request_token, void*, std::size_t, am::word) {}
void on_done(am::reply_token, void*, std::size_t, am::word) { story += 'd'; }
void on_before(am::reply_token, am::word, am::word) { story += 'd'; }

am_returned last{};
void take_back(am_token, const am_returned* message, void*) {
  story += message->unknown != 0 ? 'u' : 'n';
  last = *message;
}
void hear(am_token token, am_rank rank, void* arg) {
  CHECK(am_token_source(token) == rank);
  CHECK(am_ep_poll(token.ep, 0, nullptr) == AM_USAGE_IN_HANDLER);
  CHECK(am_token_reply(token, entry<on_silent>(), 0, 0, 0, 0) == AM_USAGE_IN_HANDLER);
  *static_cast<std::string*>(arg) += static_cast<char>('0' + rank);
}

struct fixture : am_test::one_of_four {
  fixture() : one_of_four(8) {
    am_ep_on_undeliverable(raw, take_back, nullptr);
    am_ep_on_peer_failure(raw, hear, &story);
    story.clear();
  }
  am_status request(am_rank to, am_word first = 0) {
    return am_ep_request(raw, to, entry<on_silent>(), first, 2, 3, 4);
  }
  am_status store(am_rank to, std::size_t bytes) {
    return am_ep_store(raw, to, data, data, bytes, entry<on_store>(), 5, 6, 7, 8);
  }
  am_status get(am_rank from) {
    return am_ep_get(raw, from, data, data, 10, entry<on_done>(), 9, 0, 0, 0);
  }
  am_status atomic(am_rank at) {
    return am_ep_atomic(raw, at, &word, AM_FETCH_ADD, 1, 0, entry<on_before>(), 7, 0, 0);
  }

  am_word word = 0;
  std::byte data[3 * AM_MIN_MAX_MEDIUM]{};
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a death that is heard of behind a loss is a death") {
  REQUIRE(request(2) == AM_OK);
  wire->tell_of_loss(2, "the cable is cut");
  wire->tell_of_death(2);
  poll();
  CHECK(story == "n2");
  CHECK(last.reason == AM_PEER_DEAD);
  CHECK(request(2) == AM_PEER_DEAD);
}

TEST_CASE_FIXTURE(fixture, "last words, then what comes back, then the news; a budget holds") {
  for (am_word i = 0; i < 3; ++i) REQUIRE(request(2, i) == AM_OK);
  wire->unknown = 1;
  const auto silent = entry<on_silent>()->id;
  wire->receive_request(1, entry<on_other>()->id, {});
  wire->receive_request(2, silent, {});
  wire->receive_request(2, silent, {});
  wire->tell_of_death(2);
  CHECK(am_ep_deaths(raw) == 0);
  std::string so_far;
  for (const char next : std::string("ssunn2o")) {
    poll(1);
    so_far += next;
    CHECK(story == so_far);
  }
  CHECK(am_ep_deaths(raw) == 1);
  poll();
  CHECK(story == so_far);
}

TEST_CASE_FIXTURE(fixture, "what comes back says whence, why, and with which words") {
  REQUIRE(request(2, 77) == AM_OK);
  wire->tell_of_death(2);
  poll();
  CHECK(story == "n2");
  CHECK(last.rank == 2);
  CHECK(last.reason == AM_PEER_DEAD);
  CHECK(last.words[0] == 77);
  CHECK(last.words[3] == 4);
  CHECK(std::string(last.handler).find("on_silent") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "every call to the dead says so, and the others are served") {
  wire->tell_of_death(2);
  poll();
  CHECK(story == "2");
  CHECK(request(2) == AM_PEER_DEAD);
  CHECK(std::string(am_error_text()) == "rank 2 has died");
  CHECK(am_ep_try_request(raw, 2, entry<on_silent>(), 0, 0, 0, 0) == AM_PEER_DEAD);
  CHECK(am_ep_request_medium(raw, 2, entry<on_piece>(), data, 5, 0, 0, 0, 0) == AM_PEER_DEAD);
  CHECK(am_ep_try_request_medium(raw, 2, entry<on_piece>(), data, 5, 0, 0, 0, 0) == AM_PEER_DEAD);
  CHECK(store(2, 5) == AM_PEER_DEAD);
  CHECK(store(2, 0) == AM_PEER_DEAD);
  CHECK(am_ep_try_store(raw, 2, data, data, 5, entry<on_store>(), 0, 0, 0, 0) == AM_PEER_DEAD);
  CHECK(get(2) == AM_PEER_DEAD);
  CHECK(atomic(2) == AM_PEER_DEAD);
  CHECK(am_ep_fence(raw, 2) == AM_PEER_DEAD);
  CHECK(wire->requests.empty());
  CHECK(wire->connects.empty());
  CHECK(request(1) == AM_OK);
  CHECK(am_ep_fence(raw, 1) == AM_OK);
  CHECK(am_ep_flush(raw) == AM_OK);
}

TEST_CASE_FIXTURE(fixture, "a store in pieces comes back as one, with its own handler") {
  REQUIRE(store(2, sizeof data) == AM_OK);
  REQUIRE(wire->requests.size() == 3);
  wire->tell_of_death(2);
  poll();
  CHECK(story == "n2");
  CHECK(last.words[0] == 5);
  CHECK(std::string(last.handler).find("on_store") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "a get and an atomic operation come back as what ends them") {
  REQUIRE(get(2) == AM_OK);
  wire->tell_of_death(2);
  poll();
  CHECK(story == "n2");
  CHECK(last.words[0] == 9);
  CHECK(std::string(last.handler).find("on_done") != std::string::npos);
  REQUIRE(atomic(3) == AM_OK);
  wire->unknown = 1;
  wire->tell_of_death(3);
  poll();
  CHECK(story == "n2u3");
  CHECK(last.words[1] == 7);
  CHECK(std::string(last.handler).find("on_before") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture,
                  "a get or an atomic operation that waits for a credit comes back, and only so") {
  for (const auto call : {&fixture::get, &fixture::atomic}) {
    const am_rank peer = am_ep_deaths(raw) + 1;
    for (unsigned i = 0; i < 8; ++i) REQUIRE(request(peer) == AM_OK);
    CHECK((this->*call)(peer) == AM_OK);
    wire->tell_of_death(peer);
    poll();
    CHECK((this->*call)(peer) == AM_PEER_DEAD);
  }
  CHECK(story == "nnnnnnnnn1nnnnnnnnn2");
  CHECK(wire->requests.size() == 16);
}

TEST_CASE_FIXTURE(fixture, "an answer to what was not asked ends nothing") {
  const am_handler* const ends[] = {&core::get_failed_handler, &core::atomic_done_handler};
  for (const auto call : {&fixture::get, &fixture::atomic}) {
    const am_rank peer = am_ep_deaths(raw) + 1;
    for (unsigned i = 0; i < 8; ++i) REQUIRE(request(peer) == AM_OK);
    CHECK((this->*call)(peer) == AM_OK);
    wire->receive_request(peer, ends[peer - 1]->id, {0, 0, 0, 0});
    wire->receive_request(3, entry<on_last_of>()->id, {peer});
    poll();
    poll();
  }
  CHECK(story == "nnnnnnnnn1nnnnnnnnn2");
  CHECK(am_ep_close(raw) == AM_OK);  // which would wait for a call that is not over
  raw = nullptr;
}

TEST_CASE_FIXTURE(fixture, "bytes that were owed to the dead are owed no more") {
  const auto where = reinterpret_cast<am_word>(data);
  wire->payload_status = AM_AGAIN_PAYLOAD;
  wire->receive_request(2, core::get_handler.id, {1, where, sizeof data, 0});
  poll();
  wire->tell_of_death(2);
  poll();
  wire->payload_status = AM_OK;
  poll();
  CHECK(wire->requests.empty());
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
}

TEST_CASE_FIXTURE(fixture,
                  "close waits for no answer of the dead, and tells of a death meanwhile") {
  REQUIRE(request(2) == AM_OK);
  REQUIRE(get(2) == AM_OK);
  wire->tell_of_death(2);
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
  CHECK(story == "nn2");
}

TEST_CASE_FIXTURE(fixture, "two deaths are told one after the other") {
  REQUIRE(request(1) == AM_OK);
  REQUIRE(request(3) == AM_OK);
  wire->tell_of_death(3);
  wire->tell_of_death(1);
  poll();
  CHECK(story == "n3n1");
  CHECK(am_ep_deaths(raw) == 2);
}

TEST_CASE_FIXTURE(fixture, "what had been sent to the dead stays counted") {
  REQUIRE(request(2) == AM_OK);
  wire->tell_of_death(2);
  poll();
  am_traffic with{};
  REQUIRE(am_ep_stats_with(raw, 2, &with, sizeof with) == AM_OK);
  CHECK(with.requests == 1);
  CHECK(with.answers == 1);
  CHECK(wire->credits_to(2).free() == 0);
  CHECK(wire->credits_to(2).on_their_way() == 0);
}
