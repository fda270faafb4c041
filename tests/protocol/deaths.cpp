// Core against the recording transport when a peer has died: the order of events, which requests
// are returned with which words, and the status of later calls.
#include "four_rank_endpoint.hpp"

#include <libam/core/library_handlers.hpp>

#include <string>

namespace protocol_deaths {

using am_test::entry;
using am_test::recording_transport;
namespace core = am::detail::core;

namespace {

std::string event_log;  // one letter for each event

void on_silent(am::request_token, am::word) { event_log += 's'; }
void on_other(am::request_token, am::word) { event_log += 'o'; }
void on_last_of(am::request_token, am::word peer) {
  recording_transport::last->inject_death(static_cast<am_rank>(peer));
}
void on_piece(am::request_token, std::span<const std::byte>) {}
void on_store(am::request_token, void*, std::size_t, am::word) {}
void on_done(am::reply_token, void*, std::size_t, am::word) { event_log += 'd'; }
void on_before(am::reply_token, am::word, am::word) { event_log += 'd'; }

am_returned last{};
void on_undeliverable(am_token, const am_returned* message, void*) {
  event_log += message->unknown != 0 ? 'u' : 'n';
  last = *message;
}
void on_peer_failure(am_token token, am_rank rank, void* arg) {
  CHECK(am_token_source(token) == rank);
  CHECK(am_ep_poll(token.ep, 0, nullptr) == AM_USAGE_IN_HANDLER);
  CHECK(am_token_reply(token, entry<on_silent>(), 0, 0, 0, 0) == AM_USAGE_IN_HANDLER);
  *static_cast<std::string*>(arg) += static_cast<char>('0' + rank);
}

struct fixture : am_test::four_rank_endpoint {
  fixture() : four_rank_endpoint(8) {
    am_ep_on_undeliverable(raw, on_undeliverable, nullptr);
    am_ep_on_peer_failure(raw, on_peer_failure, &event_log);
    event_log.clear();
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

TEST_CASE_FIXTURE(fixture, "a death that is reported after a loss is a death") {
  REQUIRE(request(2) == AM_OK);
  wire->inject_loss(2, "the cable is cut");
  wire->inject_death(2);
  poll();
  CHECK(event_log == "n2");
  CHECK(last.reason == AM_PEER_DEAD);
  CHECK(request(2) == AM_PEER_DEAD);
}

TEST_CASE_FIXTURE(fixture,
                  "a dead peer's messages run first, then requests return, then the "
                  "failure event; a budget holds") {
  for (am_word i = 0; i < 3; ++i) REQUIRE(request(2, i) == AM_OK);
  wire->unknown = 1;
  const auto silent = entry<on_silent>()->id;
  wire->receive_request(1, entry<on_other>()->id, {});
  wire->receive_request(2, silent, {});
  wire->receive_request(2, silent, {});
  wire->inject_death(2);
  CHECK(am_ep_deaths(raw) == 0);
  std::string so_far;
  for (const char next : std::string("ssunn2o")) {
    poll(1);
    so_far += next;
    CHECK(event_log == so_far);
  }
  CHECK(am_ep_deaths(raw) == 1);
  poll();
  CHECK(event_log == so_far);
}

TEST_CASE_FIXTURE(fixture, "a returned request has its rank, reason and words") {
  REQUIRE(request(2, 77) == AM_OK);
  wire->inject_death(2);
  poll();
  CHECK(event_log == "n2");
  CHECK(last.rank == 2);
  CHECK(last.reason == AM_PEER_DEAD);
  CHECK(last.words[0] == 77);
  CHECK(last.words[3] == 4);
  CHECK(std::string(last.handler).find("on_silent") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "every call to a dead rank fails, and the other ranks are served") {
  wire->inject_death(2);
  poll();
  CHECK(event_log == "2");
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

TEST_CASE_FIXTURE(fixture, "a store in pieces returns as one request, with its own handler") {
  REQUIRE(store(2, sizeof data) == AM_OK);
  REQUIRE(wire->requests.size() == 3);
  wire->inject_death(2);
  poll();
  CHECK(event_log == "n2");
  CHECK(last.words[0] == 5);
  CHECK(std::string(last.handler).find("on_store") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture,
                  "a get and an atomic operation return with the handler of their completion") {
  REQUIRE(get(2) == AM_OK);
  wire->inject_death(2);
  poll();
  CHECK(event_log == "n2");
  CHECK(last.words[0] == 9);
  CHECK(std::string(last.handler).find("on_done") != std::string::npos);
  REQUIRE(atomic(3) == AM_OK);
  wire->unknown = 1;
  wire->inject_death(3);
  poll();
  CHECK(event_log == "n2u3");
  CHECK(last.words[1] == 7);
  CHECK(std::string(last.handler).find("on_before") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "a get or an atomic operation that waits for a credit returns, once") {
  for (const auto call : {&fixture::get, &fixture::atomic}) {
    const am_rank peer = am_ep_deaths(raw) + 1;
    for (unsigned i = 0; i < 8; ++i) REQUIRE(request(peer) == AM_OK);
    CHECK((this->*call)(peer) == AM_OK);
    wire->inject_death(peer);
    poll();
    CHECK((this->*call)(peer) == AM_PEER_DEAD);
  }
  CHECK(event_log == "nnnnnnnnn1nnnnnnnnn2");
  CHECK(wire->requests.size() == 16);
}

TEST_CASE_FIXTURE(fixture, "an answer without a request completes nothing") {
  const am_handler* const completing_handlers[] = {&core::get_failed_handler,
                                                   &core::atomic_done_handler};
  for (const auto call : {&fixture::get, &fixture::atomic}) {
    const am_rank peer = am_ep_deaths(raw) + 1;
    for (unsigned i = 0; i < 8; ++i) REQUIRE(request(peer) == AM_OK);
    CHECK((this->*call)(peer) == AM_OK);
    wire->receive_request(peer, completing_handlers[peer - 1]->id, {0, 0, 0, 0});
    wire->receive_request(3, entry<on_last_of>()->id, {peer});
    poll();
    poll();
  }
  CHECK(event_log == "nnnnnnnnn1nnnnnnnnn2");
  CHECK(am_ep_close(raw) == AM_OK);  // it would wait for a pending call
  raw = nullptr;
}

TEST_CASE_FIXTURE(fixture, "gets of a dead rank are no longer pending") {
  const auto where = reinterpret_cast<am_word>(data);
  wire->payload_status = AM_AGAIN_PAYLOAD;
  wire->receive_request(2, core::get_handler.id, {1, where, sizeof data, 0});
  poll();
  wire->inject_death(2);
  poll();
  wire->payload_status = AM_OK;
  poll();
  CHECK(wire->requests.empty());
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
}

TEST_CASE_FIXTURE(fixture,
                  "close waits for no answer of a dead rank, and reports a death meanwhile") {
  REQUIRE(request(2) == AM_OK);
  REQUIRE(get(2) == AM_OK);
  wire->inject_death(2);
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
  CHECK(event_log == "nn2");
}

TEST_CASE_FIXTURE(fixture, "two deaths are reported one after the other") {
  REQUIRE(request(1) == AM_OK);
  REQUIRE(request(3) == AM_OK);
  wire->inject_death(3);
  wire->inject_death(1);
  poll();
  CHECK(event_log == "n3n1");
  CHECK(am_ep_deaths(raw) == 2);
}

TEST_CASE_FIXTURE(fixture, "what was sent to a dead rank stays counted") {
  REQUIRE(request(2) == AM_OK);
  wire->inject_death(2);
  poll();
  am_traffic with{};
  REQUIRE(am_ep_stats_with(raw, 2, &with, sizeof with) == AM_OK);
  CHECK(with.requests == 1);
  CHECK(with.answers == 1);
  CHECK(wire->credits_to(2).free() == 0);
  CHECK(wire->credits_to(2).in_flight() == 0);
}

}  // namespace protocol_deaths
