// Lone messages that are sent without their frames: a rank beside a simulated peer.
#include "simulated_peer.hpp"

#include <libam/wire/unpacker.hpp>

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace ucx_lone_messages {

using namespace am_test;

namespace {

// Makes UCX's fragments shorter than the frames behind which a lone message may be sent.
struct short_fragments {
  short_fragments() {
    for (const char* const name : names) ::setenv(name, "256", 1);
  }
  ~short_fragments() {
    for (const char* const name : names) ::unsetenv(name);
  }
  static constexpr const char* names[] = {"UCX_POSIX_SEG_SIZE", "UCX_TCP_TX_SEG_SIZE"};
};
struct with_short_fragments : private short_fragments, with_simulated_peer {};

bytes a_word(unsigned value) {
  bytes all(sizeof(am_word));
  all[0] = std::byte(value);
  return all;
}

constexpr auto request = wire::message_kind::request;
constexpr auto reply = wire::message_kind::reply;

}  // namespace

TEST_CASE_FIXTURE(with_simulated_peer, "after some lone requests a rank requests an id, once") {
  for (unsigned i = 0; i < 30; ++i) {
    CHECK(peer.count_received(ucx::kind::id_request) == (i < 16 ? 0 : 1));
    CHECK_FALSE(peer.is_request_lone());
    peer.answer();
    peer.wait_until([&] { return peer.port->credits.in_flight() == 0; });
  }
  for (const auto& [kind, text] : peer.received)
    if (kind == ucx::kind::id_request) {
      const auto key = ucx::short_id_key::decode(text);
      REQUIRE(key);
      CHECK(key->kind == request);
      CHECK(key->handler == replying);
    }
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "a lone request is sent under the id that was offered, and no other") {
  peer.send_offer(request, replying);
  REQUIRE(peer.is_request_lone());
  CHECK(peer.received_lone[0].second.size() == sizeof(am_word));
  CHECK(peer.received_lone[0].second[0] == std::byte{5});
  CHECK_FALSE(peer.received_lone[0].first);
  peer.answer();
  peer.wait_until([&] { return peer.port->credits.in_flight() == 0; });
  CHECK_FALSE(peer.is_request_lone(silent));
  // That was frame number 1: the other had the number before it.
  CHECK(wire::unpacker::number_of(peer.received.back().second.data()) == 1);
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "a lone answer is sent under its id, and reports a silent request") {
  peer.send_offer(reply, replied);
  peer.send_request(replying, 9);
  peer.wait_until([&] { return peer.received_lone.size() == 1; });
  CHECK(peer.received_lone[0].second[0] == std::byte{9});
  CHECK_FALSE(peer.received_lone[0].first);
  peer.send_frame(
      {simulated_peer::make(request, silent, 1), simulated_peer::make(request, replying, 2)});
  peer.wait_until([&] { return peer.received_lone.size() == 2; });
  CHECK(peer.received_lone[1].first);
  const std::size_t frames = peer.count_received(ucx::kind::frame);
  peer.send_frame({simulated_peer::make(request, silent, 1),
                   simulated_peer::make(request, silent, 1),
                   simulated_peer::make(request, replying, 2)});
  peer.wait_until([&] { return peer.count_received(ucx::kind::frame) == frames + 1; });
  CHECK(peer.received_lone.size() == 2);
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "nothing is sent without its frame that could overtake a long one") {
  peer.send_offer(request, replying);
  const bytes payload(1000);
  const am_word words[AM_WORDS] = {};
  peer.port->credits.take();
  REQUIRE(peer.port->send_medium(replying, words, payload.data(), payload.size()) == AM_OK);
  peer.wait_until([&] { return peer.count_received(ucx::kind::frame) == 1; });
  peer.answer();
  peer.wait_until([&] { return peer.port->credits.in_flight() == 0; });
  CHECK_FALSE(peer.is_request_lone());
  peer.answer();
  peer.wait_until([&] { return peer.port->credits.in_flight() == 0; });
  CHECK(peer.is_request_lone());
}

TEST_CASE_FIXTURE(with_simulated_peer, "invalid id requests and offers change nothing") {
  const bytes wishes[] = {{}, bytes(3), {std::byte{2}, {}, {}, {}}, bytes(5, std::byte{1})};
  for (const bytes& one : wishes) peer.send_kind(ucx::kind::id_request, one);
  const bytes offers[] = {{},
                          bytes(5),
                          {std::byte{1}, {}, std::byte{1}, {}, std::byte{3}, {}},
                          {std::byte{1}, {}, std::byte{1}, {}, std::byte{255}, std::byte{255}}};
  for (const bytes& one : offers) peer.send_kind(ucx::kind::id_offer, one);
  CHECK(peer.obtain_id(7).key.handler == 7);
  CHECK(peer.count_received(ucx::kind::id_offer) == 1);
  CHECK_FALSE(peer.is_request_lone());
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "a rank offers ids, up to a limit, and repeats the offer for a known key") {
  for (std::uint16_t handler = 0; handler < 100; ++handler) peer.request_id(handler);
  peer.wait_until([&] { return peer.count_received(ucx::kind::id_offer) >= 32; });
  CHECK(peer.obtain_id(0).key.handler == 0);
  CHECK(peer.count_received(ucx::kind::id_offer) == 33);
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "a valid message under an id runs, an invalid one ends the pair") {
  const ucx::offered_id offer = peer.obtain_id(0);
  peer.send(offer.id, a_word(7));
  peer.wait_until([&] { return zero.seen.all.size() == 1; });
  CHECK(zero.seen.all[0] == recorder::handler_run{1, 0, 7, 0});
  // It has the next number: frames go on behind it.
  peer.skip_number();
  peer.send_request(silent, 8);
  peer.wait_until([&] { return zero.seen.all.size() == 2; });
  CHECK(zero.seen.deaths.empty());
  SUBCASE("not a number of words") { peer.send(offer.id, bytes(7)); }
  SUBCASE("five words") { peer.send(offer.id, bytes(40)); }
  SUBCASE("more silent requests than there were") { peer.send(offer.id + 1U, bytes(8)); }
  peer.wait_until([&] { return zero.seen.deaths.size() == 1; });
  peer.send(offer.id, a_word(9));  // comes too late
  peer.poll_for_a_while();
  CHECK(zero.seen.all.size() == 2);
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "a lone message is handled before a frame that had arrived too early") {
  const ucx::offered_id offer = peer.obtain_id(silent);
  peer.skip_number();
  peer.send_request(silent, 2);
  (void)peer.obtain_id(silent);  // so the frame has come, and now a look finds that it waits
  peer.progress_both();
  CHECK(zero.seen.all.empty());
  peer.send(offer.id, a_word(1));
  peer.wait_until([&] { return zero.seen.all.size() == 2; });
  CHECK(zero.seen.all[0].word == 1);
  CHECK(zero.seen.all[1].word == 2);
}

TEST_CASE_FIXTURE(with_simulated_peer, "a message under an id that was not offered is ignored") {
  const ucx::offered_id offer = peer.obtain_id(silent);
  peer.send(0, a_word(1));
  for (unsigned id = ucx::kind_count + 1; id < 300; ++id)
    if (id != offer.id && id != offer.id + 1U) peer.send(id, a_word(1));
  peer.send(0xffff, a_word(1));
  peer.send(offer.id, a_word(2));
  peer.wait_until([&] { return zero.seen.all.size() == 1; });
  CHECK(zero.seen.all[0].word == 2);
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "a request without its frame returns when the pair is lost") {
  peer.send_offer(request, replying);
  REQUIRE(peer.is_request_lone());
  peer.send_kind(ucx::kind::lost, {});
  peer.wait_until([&] { return zero.seen.deaths.size() == 1; });
  peer.send_offer(request, silent);  // comes too late
  struct lost_requests : seam::failure_sink {
    [[nodiscard]] bool has_died(am_rank) const noexcept override { return false; }
    void on_lost_request(am_rank, const seam::lost_request& one) noexcept override {
      all.push_back(one);
    }
    std::vector<seam::lost_request> all;
  } back;
  peer.port->fail_pending(back);
  REQUIRE(back.all.size() == 1);
  CHECK(back.all[0].handler == replying);
  CHECK(back.all[0].unknown);
}

TEST_CASE_FIXTURE(with_short_fragments, "where UCX cuts small frames all are sent in frames") {
  peer.request_id(silent);
  peer.send_offer(request, replying);
  CHECK(peer.count_received(ucx::kind::id_offer) == 0);
  CHECK_FALSE(peer.is_request_lone());
}

TEST_CASE("lone messages that arrive where no handler may run wait in order") {
  member zero(0);
  member one(1);
  seam::port& there = connect_ranks(zero, one);
  seam::port& back = connect_ranks(one, zero);
  am_word sent = 0;
  const auto exchange = [&] {
    send(there, sent++, silent);
    REQUIRE(poll_until({&one}, [&] { return one.seen.all.size() == sent; }));
    send(back, sent, silent);
    REQUIRE(poll_until({&zero}, [&] { return zero.seen.all.size() == sent; }));
  };
  // Long enough that both have an id for what they send.
  for (unsigned i = 0; i < 100; ++i) exchange();
  CHECK(there.credits.in_flight() == 0);
  send(there, sent++, silent);
  for (unsigned i = 0; i < 1000; ++i) back.refresh_credits();
  CHECK(one.seen.all.size() == sent - 1);
  CHECK(back.credits.in_flight() == 0);  // the credit came with it, though it has not run
  for (unsigned i = 0; i < 3; ++i) send(there, sent++, silent);
  REQUIRE(zero.transport->flush() == AM_OK);
  for (unsigned i = 0; i < 1000; ++i) back.refresh_credits();
  REQUIRE(poll_until({&one}, [&] { return one.seen.all.size() == sent; }));
  for (am_word i = 0; i < sent; ++i) CHECK(one.seen.all[i].word == i);
  CHECK(one.seen.deaths.empty());
}

}  // namespace ucx_lone_messages
