// Each part of an endpoint by itself: what it holds, and what it does to its neighbours.
#include "parts.hpp"

#include <libam/core/calls.hpp>

#include <thread>

namespace core = am::detail::core;
namespace seam = am::detail::seam;
using am_test::parts;

am_test::parts* parts::running = nullptr;

parts::parts(std::uint32_t window)
    : in{std::make_unique<blackboard_boot>(0, 4), std::make_unique<am::detail::base::settings>()},
      messages(in, reinterpret_cast<am_ep*>(this), *this, 4),
      told(in, messages),
      peers(0, 4, in, transports, clock),
      data(messages, told, peers, transports, clock),
      deaths(in, messages, peers, transports, data),
      stalls(std::chrono::seconds(0), messages, peers, data),
      turns(in, messages, transports, clock, deaths, data, stalls,
            core::idle(am::detail::base::wait_mode::spin, false)) {
  running = this;
  recording::window = window;
  transports.make({0, 4, *in.settings, *in.job, messages});
  wire = recording::last;
  const auto note = [](am_token, const am_word* words, const void*, std::size_t) {
    running->story += " ran " + std::to_string(words[0]);
  };
  const auto answer = [](am_token token, const am_word* words, const void*, std::size_t) {
    CHECK(running->messages.reply(token.serial, &running->noting_handler, words[0], 0, 0, 0) ==
          AM_OK);
    CHECK(running->messages.reply(token.serial, &running->noting_handler, 0, 0, 0, 0) ==
          AM_USAGE_REPLIED);
  };
  const auto missing = [](am_token, const am_word*, const void*, std::size_t) {};
  messages.install({{note, "noting"}, {answer, "asking"}, {missing, "nobody's"}});
  noting_handler.id = noting;
  messages.open();
}

void parts::transferred(seam::transfer& one) noexcept { data.transferred(one); }
void parts::heard_of_end(am_rank peer, std::string_view why) noexcept {
  deaths.hear_of_end(peer, why);
}
void parts::given_back(am_status reason, const am_word* words, bool unknown) noexcept {
  story += reason == AM_PEER_DEAD ? " dead " : " back ";
  story += std::to_string(words[0]) + (unknown ? "?" : "");
}

TEST_CASE("dispatcher: the gate is shut in handlers, for other threads, and after leaving") {
  parts p;
  CHECK(p.messages.in_order());
  std::thread([&] {
    CHECK_FALSE(p.messages.in_order());
    CHECK(p.messages.refuse("poll") == AM_USAGE_OTHER_THREAD);
  }).join();
  {
    const seam::inbox::batch one(p.messages, 2, nullptr);
    CHECK_FALSE(p.messages.in_order());
    CHECK(p.messages.is_owners());
    CHECK(p.messages.source() == 2);
    CHECK(p.messages.refuse("poll") == AM_USAGE_IN_HANDLER);
    CHECK(p.messages.adopt() == AM_USAGE_IN_HANDLER);
  }
  CHECK(p.messages.in_order());
  p.messages.leave();
  CHECK(p.messages.refuse("poll") == AM_USAGE_LEFT);
}

TEST_CASE("dispatcher: a request is answered once, and a stale token answers nothing") {
  parts p;
  p.wire->receive_request(1, parts::asking, {7, 0, 0, 0});
  p.turns.deliver(1);
  REQUIRE(p.wire->replies.size() == 1);
  CHECK(p.wire->replies[0].words[0] == 7);
  CHECK(p.messages.reply(1, &p.noting_handler, 0, 0, 0, 0) == AM_USAGE_REPLIED);
  CHECK(p.messages.handler(parts::asking).runs == 1);
  CHECK(p.messages.came_from(1).requests == 1);
}

TEST_CASE("peers: contact brings credits of which no sign tells, until the next poll") {
  parts p;
  CHECK_FALSE(p.peers.is_met(1));
  CHECK(p.peers.try_contact(1) == AM_OK);
  CHECK(p.peers.is_met(1));
  CHECK(p.clock.has_unannounced());
  p.turns.deliver(1);
  CHECK_FALSE(p.clock.has_unannounced());
  p.wire->unreachable = "no way back";
  CHECK(p.peers.try_contact(2) == AM_PEER_UNREACHABLE);
  CHECK_FALSE(p.peers.is_met(2));
}

TEST_CASE("peers: one that is retired is dead, and says why it is lost") {
  parts p;
  REQUIRE(p.peers.try_contact(1) == AM_OK);
  seam::port& before = p.peers.port(1);
  p.peers.note_lost(1, "the cable is cut");
  CHECK(&p.peers.retire(1) == &before);
  CHECK(p.peers.is_dead(1));
  CHECK(p.peers.deaths() == 1);
  CHECK(p.peers.refuse_dead(1) == AM_PEER_LOST);
  CHECK(p.peers.describe_end(1) == "rank 1 is lost: the cable is cut");
  CHECK(p.peers.describe_end(2) == "rank 2 has died");
  CHECK(p.peers.port(1).credits.free() == 0);
}

TEST_CASE("sender: what a port refuses gives its credit back and is not counted") {
  parts p;
  const am_word words[AM_WORDS] = {};
  p.wire->payload_status = AM_AGAIN_PAYLOAD;
  CHECK(p.data.by.medium(1, p.noting_handler, words, 8, words) == AM_AGAIN_PAYLOAD);
  CHECK(p.peers.port(1).credits.free() == 4);
  CHECK(p.peers.traffic(1).mediums == 0);
  p.wire->payload_status = AM_OK;
  CHECK(p.data.by.medium(1, p.noting_handler, words, 8, words) == AM_OK);
  CHECK(p.peers.traffic(1).medium_bytes == 8);
}

TEST_CASE("sender: a rank without a credit is put off for the rest of the round") {
  parts p(1);
  CHECK(p.data.by.request(1, p.noting_handler, 1) == AM_OK);
  CHECK(p.data.by.credit_now(1) == AM_AGAIN_CREDIT);
  CHECK(p.data.by.is_put_off(1));
  CHECK_FALSE(p.data.by.is_put_off(2));
  p.data.by.next_round();
  CHECK_FALSE(p.data.by.is_put_off(1));
  p.wire->silent[1] = 1;
  CHECK(p.data.by.credit_now(1) == AM_OK);
  CHECK(p.clock.has_unannounced());
}

TEST_CASE("sender: without room a rank is put off for payloads alone") {
  parts p;
  CHECK(p.data.by.put_off(1, AM_AGAIN_PAYLOAD) == AM_AGAIN_PAYLOAD);
  CHECK(p.data.by.is_payload_put_off(1));
  CHECK_FALSE(p.data.by.is_put_off(1));
  CHECK_FALSE(p.data.by.is_payload_put_off(2));
  p.data.by.next_round();
  CHECK_FALSE(p.data.by.is_payload_put_off(1));
}

TEST_CASE("completions: as many as the budget says, in order; what failed comes back") {
  parts p;
  for (am_word i = 1; i <= 3; ++i)
    p.data.ended.push({1, parts::noting, {i}, nullptr, 0, i == 2 ? AM_PEER_DEAD : AM_OK, true});
  CHECK(p.data.ended.run(2) == 2);
  CHECK(p.story == " ran 1 dead 2?");
  CHECK(p.data.ended.run(64) == 1);
  CHECK(p.data.ended.empty());
}

TEST_CASE("calls: one that has ended has no number any more") {
  core::calls all(2);
  core::call& one = all.add(core::call::kind::get, 1);
  const std::size_t number = one.number;
  CHECK(all.find(number) == &one);
  all.remove(one);
  CHECK(all.find(number) == nullptr);
}

TEST_CASE("segments: one that peers still reach is given back when they do not any more") {
  parts p;
  void* made = nullptr;
  REQUIRE(p.data.own.make(100, &made) == AM_OK);
  CHECK(p.data.own.own(made, 100));
  CHECK_FALSE(p.data.own.own(made, 101));
  p.wire->still_reached = 1;
  p.data.own.free(made);
  CHECK(p.data.own.has_abandoned());
  CHECK_FALSE(p.data.own.own(made, 1));
  CHECK(p.wire->freed.empty());
  p.data.own.free_abandoned();
  CHECK(p.wire->freed.size() == 1);
  CHECK_FALSE(p.data.own.has_abandoned());
}

TEST_CASE("failures: last messages, then what comes back, then the news") {
  parts p;
  p.told.on_peer_failure(
      [](am_token, am_rank rank, void* to) {
        *static_cast<std::string*>(to) += " news of " + std::to_string(rank);
      },
      &p.story);
  CHECK(p.data.by.request(1, p.noting_handler, 5) == AM_OK);
  p.wire->receive_request(1, parts::noting, {8, 0, 0, 0});
  p.deaths.hear_of_end(1, {});
  p.deaths.hear_of_end(1, {});
  CHECK(p.deaths.has_some());
  p.turns.deliver(64);
  CHECK(p.story == " ran 8 dead 5 news of 1");
  CHECK(p.peers.is_dead(1));
  CHECK_FALSE(p.deaths.has_some());
  p.deaths.hear_of_end(1, {});
  CHECK_FALSE(p.deaths.has_some());
}

TEST_CASE("bulk: work waits behind what came, and is settled when nothing is on its way") {
  parts p(1);
  CHECK(p.data.settled());
  CHECK(p.data.by.request(1, p.noting_handler, 1) == AM_OK);
  core::call* one = nullptr;
  REQUIRE(p.data.made.add(core::call::kind::request, 1, one) == AM_OK);
  one->then = {1, parts::noting, {2}, nullptr, 0, AM_OK};
  CHECK(p.data.made.begin_in_turn(*one) == AM_OK);
  CHECK(p.data.has_waiting());
  CHECK_FALSE(p.data.settled());
  p.turns.deliver(64);
  CHECK(p.wire->requests.size() == 1);
  p.wire->silent[1] = 1;
  p.turns.deliver(64);
  CHECK(p.wire->requests.size() == 2);
  CHECK(p.data.settled());
}

TEST_CASE("progress: full polls and all polls are counted, and a budget is kept") {
  parts p;
  for (am_word i = 0; i < 3; ++i) p.wire->receive_request(1, parts::noting, {i, 0, 0, 0});
  CHECK(p.turns.deliver(2) == 2);
  CHECK(p.turns.deliver(2) == 1);
  CHECK(p.turns.deliver(2) == 0);
  CHECK(p.clock.polls() == 3);
  CHECK(p.turns.full_polls() == 2);
}

TEST_CASE("stalls: a call that waits is shown from its first look around until it ends") {
  parts p;
  const am_rank peer = 3;
  {
    core::blocked here(p.stalls.doing());
    CHECK(p.stalls.doing().call == nullptr);
    p.stalls.look_around(here, "a request", &peer);
    CHECK(std::string(p.stalls.doing().call) == "a request");
    CHECK(p.stalls.doing().peer == 3);
  }
  CHECK(p.stalls.doing().call == nullptr);
}
