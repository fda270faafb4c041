// Lone messages that are sent without their frames: a rank beside a simulated peer, which receives
// all that the rank sends, as UCX delivers it.
#include "two_ranks.hpp"

#include <libam/wire/packer.hpp>
#include <libam/wire/unpacker.hpp>
#include <transports/ucx/short_ids.hpp>

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

using namespace am_test;
namespace wire = am::detail::wire;
using bytes = std::vector<std::byte>;

namespace {

constexpr std::uint16_t own_id = 100;  // the id that the simulated peer offers

class simulated_peer final : ucx::message_sink {
 public:
  explicit simulated_peer(member& other) : other_(other) {
    std::string why;
    engine_ = ucx::engine::start(false, 1, wire::payload_sizes(), why);
    REQUIRE_MESSAGE(engine_ != nullptr, why);
    engine_->set_sink(*this);
    for (const unsigned id : {own_id + 0U, own_id + 1U})
      REQUIRE(engine_->set_recv_handler(id, &simulated_peer::on_receive,
                                        id == own_id ? &plain_ : &silent_) == UCS_OK);
    const auto theirs = ucx::rank_address::decode(other.transport->address());
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(theirs->worker.data());
    REQUIRE(ucp_ep_create(engine_->worker(), &params, &endpoint_) == UCS_OK);
    send_kind(ucx::kind::hello,
              ucx::rank_address{theirs->host_id, {}, engine_->address()}.encode());
    wait_until([&] { return count_received(ucx::kind::welcome) == 1; });
    send_kind(ucx::kind::welcome, {});
    wait_until([&] {
      return (port = other.try_connect_to(
                  1, ucx::rank_address{theirs->host_id, {}, engine_->address()}.encode())) !=
             nullptr;
    });
  }

  // ---- sending ----

  void send_kind(ucx::kind what, const bytes& text) {
    bytes all{std::byte{1}, {}, {}, {}};
    all.insert(all.end(), text.begin(), text.end());
    send(static_cast<unsigned>(what), all);
  }
  void send(unsigned id, const bytes& all) {
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_EAGER;
    const ucs_status_ptr_t sent =
        ucp_am_send_nbx(endpoint_, id, nullptr, 0, all.data(), all.size(), &how);
    REQUIRE(!UCS_PTR_IS_ERR(sent));
    if (!UCS_PTR_IS_PTR(sent)) return;
    while (ucp_request_check_status(sent) == UCS_INPROGRESS) progress_both();
    ucp_request_free(sent);
  }
  void send_frame(std::vector<wire::message> all, std::uint32_t silent = 0) {
    for (const wire::message& one : all) packer_.add(one);
    const std::span<const std::byte> frame = packer_.close(silent);
    send(static_cast<unsigned>(ucx::kind::frame), {frame.begin(), frame.end()});
  }
  void skip_number() { (void)packer_.close(0); }
  void send_request(std::uint32_t handler, am_word word) {
    send_frame({make(wire::message_kind::request, handler, word)});
  }
  void answer(std::uint32_t silent = 0) {
    send_frame({make(wire::message_kind::reply, replied, 1)}, silent);
  }
  // Offers an id for requests or replies with this handler.
  void send_offer(wire::message_kind kind, std::uint16_t handler) {
    const auto text = ucx::offered_id{{kind, handler}, own_id}.encode();
    send_kind(ucx::kind::id_offer, {text.begin(), text.end()});
    poll_for_a_while();
  }
  void request_id(std::uint16_t handler) {
    const auto text = ucx::short_id_key{wire::message_kind::request, handler}.encode();
    send_kind(ucx::kind::id_request, {text.begin(), text.end()});
  }
  // The id that the rank offers for such requests. All that was sent before has arrived then.
  ucx::offered_id obtain_id(std::uint16_t handler) {
    const std::size_t before = count_received(ucx::kind::id_offer);
    request_id(handler);
    wait_until([&] { return count_received(ucx::kind::id_offer) > before; });
    const auto offer = ucx::offered_id::decode(received.back().second);
    REQUIRE(offer);
    return *offer;
  }
  static wire::message make(wire::message_kind kind, std::uint32_t handler, am_word word) {
    wire::message one{};
    one.kind = kind;
    one.handler = static_cast<std::uint16_t>(handler);
    one.words[0] = word;
    return one;
  }

  // ---- receiving ----

  void progress_both() {
    engine_->progress();
    other_.transport->poll(64);
  }
  // What was sent has arrived, and is handled.
  void poll_for_a_while() {
    (void)other_.transport->flush();  // after a flush every poll checks, and not just now and then
    for (unsigned i = 0; i < 100; ++i) progress_both();
  }
  template <class Holds>
  void wait_until(Holds&& holds) {
    REQUIRE(poll_until({&other_}, [&] {
      engine_->progress();
      return holds();
    }));
  }
  [[nodiscard]] std::size_t count_received(ucx::kind what) const {
    std::size_t count = 0;
    for (const auto& [kind, text] : received) count += kind == what ? 1 : 0;
    return count;
  }

  // Sends a request of the rank, which the peer answers; whether it arrived without a frame.
  bool is_request_lone(std::uint32_t handler = replying) {
    const std::size_t before = received_lone.size();
    const std::size_t frames = count_received(ucx::kind::frame);
    ::am_test::send(*port, 5, handler);
    wait_until(
        [&] { return received_lone.size() + count_received(ucx::kind::frame) > before + frames; });
    return received_lone.size() > before;
  }

  seam::port* port = nullptr;
  std::vector<std::pair<ucx::kind, bytes>> received;
  // Whether it reports one more silent request, and the words.
  std::vector<std::pair<bool, bytes>> received_lone;

 private:
  struct recv_context {
    simulated_peer* owner;
    bool has_silent;
  };
  static ucs_status_t on_receive(void* arg, const void*, std::size_t, void* data, std::size_t size,
                                 const ucp_am_recv_param_t*) {
    const recv_context& at = *static_cast<const recv_context*>(arg);
    const auto* const first = static_cast<const std::byte*>(data);
    at.owner->received_lone.emplace_back(at.has_silent, bytes(first, first + size));
    return UCS_OK;
  }
  bool on_message(ucx::kind what, am_rank, std::span<const std::byte> text,
                  bool) noexcept override {
    received.emplace_back(what, bytes(text.begin(), text.end()));
    return false;
  }
  void on_lone_message(const ucx::lone_message&, std::span<const std::byte>) noexcept override {}

  member& other_;
  recv_context plain_{this, false};
  recv_context silent_{this, true};
  std::unique_ptr<ucx::engine> engine_;
  ucp_ep_h endpoint_ = nullptr;
  wire::packer packer_{wire::full_frame_bytes, 1U};
};

struct with_simulated_peer {
  member zero{0};
  simulated_peer peer{zero};
};

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
