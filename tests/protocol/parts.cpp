// Each part of an endpoint by itself: its state, and its effects on the other parts.
#include "parts.hpp"

#include <libam/core/pending_calls.hpp>

#include <thread>

namespace core = am::detail::core;
namespace seam = am::detail::seam;
using am_test::parts;

am_test::parts* parts::running = nullptr;

parts::parts(std::uint32_t window)
    : in{std::make_unique<simulated_boot>(0, 4), std::make_unique<am::detail::base::settings>()},
      messages(in, reinterpret_cast<am_ep*>(this), *this, 4),
      callbacks(in, messages),
      peers(0, 4, in, transports, clock),
      data(messages, callbacks, peers, transports, clock),
      deaths(in, messages, peers, transports, data),
      stalls(std::chrono::seconds(0), messages, peers, data),
      poll_loop(in, messages, transports, clock, deaths, data, stalls,
                core::idle_policy(am::detail::base::wait_mode::spin, false)) {
  running = this;
  recording_transport::window = window;
  transports.make({0, 4, *in.settings, *in.job, messages});
  wire = recording_transport::last;
  const auto note = [](am_token, const am_word* words, const void*, std::size_t) {
    running->event_log += " ran " + std::to_string(words[0]);
  };
  const auto answer = [](am_token token, const am_word* words, const void*, std::size_t) {
    CHECK(running->messages.reply(token.serial, &running->noting_handler, words[0], 0, 0, 0) ==
          AM_OK);
    CHECK(running->messages.reply(token.serial, &running->noting_handler, 0, 0, 0, 0) ==
          AM_USAGE_REPLIED);
  };
  const auto missing = [](am_token, const am_word*, const void*, std::size_t) {};
  messages.install({{note, "noting"}, {answer, "replying"}, {missing, "missing"}});
  noting_handler.id = noting;
  messages.open();
}

void parts::on_transfer_end(seam::transfer& one) noexcept { data.on_transfer_end(one); }
void parts::on_peer_failed(am_rank peer, std::string_view why) noexcept {
  deaths.note_failure(peer, why);
}
void parts::on_request_returned(am_status reason, const am_word* words, bool unknown) noexcept {
  event_log += reason == AM_PEER_DEAD ? " dead " : " back ";
  event_log += std::to_string(words[0]) + (unknown ? "?" : "");
}

namespace protocol_parts {

TEST_CASE("dispatcher: calls are refused in handlers, from other threads, and after leaving") {
  parts p;
  CHECK(p.messages.may_call());
  std::thread([&] {
    CHECK_FALSE(p.messages.may_call());
    CHECK(p.messages.refuse("poll") == AM_USAGE_OTHER_THREAD);
  }).join();
  {
    const seam::inbox::batch one(p.messages, 2, nullptr);
    CHECK_FALSE(p.messages.may_call());
    CHECK(p.messages.is_owner_thread());
    CHECK(p.messages.source() == 2);
    CHECK(p.messages.refuse("poll") == AM_USAGE_IN_HANDLER);
    CHECK(p.messages.adopt() == AM_USAGE_IN_HANDLER);
  }
  CHECK(p.messages.may_call());
  p.messages.leave();
  CHECK(p.messages.refuse("poll") == AM_USAGE_LEFT);
}

TEST_CASE("dispatcher: a request is answered once, and a stale token answers nothing") {
  parts p;
  p.wire->receive_request(1, parts::replying, {7, 0, 0, 0});
  p.poll_loop.deliver(1);
  REQUIRE(p.wire->replies.size() == 1);
  CHECK(p.wire->replies[0].words[0] == 7);
  CHECK(p.messages.reply(1, &p.noting_handler, 0, 0, 0, 0) == AM_USAGE_REPLIED);
  CHECK(p.messages.handler(parts::replying).runs == 1);
  CHECK(p.messages.received_from(1).requests == 1);
}

TEST_CASE("peers: a connection brings credits, which a poll has not reported yet") {
  parts p;
  CHECK_FALSE(p.peers.has_contact(1));
  CHECK(p.peers.try_contact(1) == AM_OK);
  CHECK(p.peers.has_contact(1));
  CHECK(p.clock.has_unannounced());
  p.poll_loop.deliver(1);
  CHECK_FALSE(p.clock.has_unannounced());
  p.wire->unreachable = "no way back";
  CHECK(p.peers.try_contact(2) == AM_PEER_UNREACHABLE);
  CHECK_FALSE(p.peers.has_contact(2));
}

TEST_CASE("peers: a retired peer is dead, and has the reason of its loss") {
  parts p;
  REQUIRE(p.peers.try_contact(1) == AM_OK);
  seam::port& before = p.peers.port(1);
  p.peers.note_lost(1, "the cable is cut");
  CHECK(&p.peers.retire(1) == &before);
  CHECK(p.peers.is_dead(1));
  CHECK(p.peers.deaths() == 1);
  CHECK(p.peers.refuse_dead(1) == AM_PEER_LOST);
  CHECK(p.peers.describe_failure(1) == "rank 1 is lost: the cable is cut");
  CHECK(p.peers.describe_failure(2) == "rank 2 has died");
  CHECK(p.peers.port(1).credits.free() == 0);
}

TEST_CASE("sender: a send that the port refuses returns its credit and is not counted") {
  parts p;
  const am_word words[AM_WORDS] = {};
  p.wire->payload_status = AM_AGAIN_PAYLOAD;
  CHECK(p.data.sender.medium(1, p.noting_handler, words, 8, words) == AM_AGAIN_PAYLOAD);
  CHECK(p.peers.port(1).credits.free() == 4);
  CHECK(p.peers.traffic(1).mediums == 0);
  p.wire->payload_status = AM_OK;
  CHECK(p.data.sender.medium(1, p.noting_handler, words, 8, words) == AM_OK);
  CHECK(p.peers.traffic(1).medium_bytes == 8);
}

TEST_CASE("sender: a rank without a credit is deferred for the rest of the round") {
  parts p(1);
  CHECK(p.data.sender.request(1, p.noting_handler, 1) == AM_OK);
  CHECK(p.data.sender.find_credit_or_defer(1) == AM_AGAIN_CREDIT);
  CHECK(p.data.sender.is_deferred(1));
  CHECK_FALSE(p.data.sender.is_deferred(2));
  p.data.sender.next_round();
  CHECK_FALSE(p.data.sender.is_deferred(1));
  p.wire->silent[1] = 1;
  CHECK(p.data.sender.find_credit_or_defer(1) == AM_OK);
  CHECK(p.clock.has_unannounced());
}

TEST_CASE("sender: a rank without room is deferred for payloads only") {
  parts p;
  CHECK(p.data.sender.defer(1, AM_AGAIN_PAYLOAD) == AM_AGAIN_PAYLOAD);
  CHECK(p.data.sender.is_payload_deferred(1));
  CHECK_FALSE(p.data.sender.is_deferred(1));
  CHECK_FALSE(p.data.sender.is_payload_deferred(2));
  p.data.sender.next_round();
  CHECK_FALSE(p.data.sender.is_payload_deferred(1));
}

TEST_CASE("completions: at most the budget, in order; a failed request returns") {
  parts p;
  for (am_word i = 1; i <= 3; ++i)
    p.data.completions.push(
        {1, parts::noting, {i}, nullptr, 0, i == 2 ? AM_PEER_DEAD : AM_OK, true});
  CHECK(p.data.completions.run(2) == 2);
  CHECK(p.event_log == " ran 1 dead 2?");
  CHECK(p.data.completions.run(64) == 1);
  CHECK(p.data.completions.empty());
}

TEST_CASE("calls: one that has ended has no number") {
  core::pending_calls all(2);
  core::pending_call& one = all.add(core::pending_call::kind::get, 1);
  const std::size_t number = one.number;
  CHECK(all.find(number) == &one);
  all.remove(one);
  CHECK(all.find(number) == nullptr);
}

TEST_CASE("segments: one that peers still use is released when they no longer do") {
  parts p;
  void* made = nullptr;
  REQUIRE(p.data.own_segments.make(100, &made) == AM_OK);
  CHECK(p.data.own_segments.contains(made, 100));
  CHECK_FALSE(p.data.own_segments.contains(made, 101));
  p.wire->deregister_refusals = 1;
  p.data.own_segments.free(made);
  CHECK(p.data.own_segments.has_pending_free());
  CHECK_FALSE(p.data.own_segments.contains(made, 1));
  CHECK(p.wire->freed.empty());
  p.data.own_segments.finish_frees();
  CHECK(p.wire->freed.size() == 1);
  CHECK_FALSE(p.data.own_segments.has_pending_free());
}

TEST_CASE("failures: last messages, then returned requests, then the failure event") {
  parts p;
  p.callbacks.on_peer_failure(
      [](am_token, am_rank rank, void* to) {
        *static_cast<std::string*>(to) += " news of " + std::to_string(rank);
      },
      &p.event_log);
  CHECK(p.data.sender.request(1, p.noting_handler, 5) == AM_OK);
  p.wire->receive_request(1, parts::noting, {8, 0, 0, 0});
  p.deaths.note_failure(1, {});
  p.deaths.note_failure(1, {});
  CHECK(p.deaths.has_pending());
  p.poll_loop.deliver(64);
  CHECK(p.event_log == " ran 8 dead 5 news of 1");
  CHECK(p.peers.is_dead(1));
  CHECK_FALSE(p.deaths.has_pending());
  p.deaths.note_failure(1, {});
  CHECK_FALSE(p.deaths.has_pending());
}

TEST_CASE("bulk: work follows what was received, and core is quiescent when nothing is under way") {
  parts p(1);
  CHECK(p.data.is_quiescent());
  CHECK(p.data.sender.request(1, p.noting_handler, 1) == AM_OK);
  core::pending_call* one = nullptr;
  REQUIRE(p.data.caller.add(core::pending_call::kind::request, 1, one) == AM_OK);
  one->completion = {1, parts::noting, {2}, nullptr, 0, AM_OK};
  CHECK(p.data.caller.begin_or_queue(*one) == AM_OK);
  CHECK(p.data.has_waiting());
  CHECK_FALSE(p.data.is_quiescent());
  p.poll_loop.deliver(64);
  CHECK(p.wire->requests.size() == 1);
  p.wire->silent[1] = 1;
  p.poll_loop.deliver(64);
  CHECK(p.wire->requests.size() == 2);
  CHECK(p.data.is_quiescent());
}

TEST_CASE("progress: full polls and all polls are counted, and a budget is kept") {
  parts p;
  for (am_word i = 0; i < 3; ++i) p.wire->receive_request(1, parts::noting, {i, 0, 0, 0});
  CHECK(p.poll_loop.deliver(2) == 2);
  CHECK(p.poll_loop.deliver(2) == 1);
  CHECK(p.poll_loop.deliver(2) == 0);
  CHECK(p.clock.polls() == 3);
  CHECK(p.poll_loop.full_polls() == 2);
}

TEST_CASE("stalls: a waiting call is exposed from its first stall check until it ends") {
  parts p;
  const am_rank peer = 3;
  {
    core::wait_scope here(p.stalls.current_wait());
    CHECK(p.stalls.current_wait().exposed.current_wait.call == nullptr);
    p.stalls.check_stalls(here, "a request", &peer);
    CHECK(std::string(p.stalls.current_wait().exposed.current_wait.call) == "a request");
    CHECK(p.stalls.current_wait().exposed.current_wait.peer == 3);
  }
  CHECK(p.stalls.current_wait().exposed.current_wait.call == nullptr);
}

}  // namespace protocol_parts
