// Lone messages that go without their frames: a rank beside a peer that the test plays, which hears
// all that the rank sends, as UCX brings it.
#include "members.hpp"

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

constexpr std::uint16_t own_id = 100;  // the one that the played peer offers

class played_peer final : ucx::hearer {
 public:
  explicit played_peer(member& other) : other_(other) {
    std::string why;
    engine_ = ucx::engine::start(false, 1, wire::payload_sizes(), why);
    REQUIRE_MESSAGE(engine_ != nullptr, why);
    engine_->listen(*this);
    for (const unsigned id : {own_id + 0U, own_id + 1U})
      REQUIRE(engine_->listen_at(id, &played_peer::hear, id == own_id ? &plain_ : &silent_) ==
              UCS_OK);
    const auto theirs = ucx::contact::decode(other.transport->address());
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(theirs->worker.data());
    REQUIRE(ucp_ep_create(engine_->worker(), &params, &endpoint_) == UCS_OK);
    say(ucx::kind::hello, ucx::contact{theirs->host, engine_->address()}.encode());
    await([&] { return heard_of(ucx::kind::welcome) == 1; });
    say(ucx::kind::welcome, {});
    await([&] {
      return (port = other.call_at(1, ucx::contact{theirs->host, engine_->address()}.encode())) !=
             nullptr;
    });
  }

  // ---- speaking ----

  void say(ucx::kind what, const bytes& text) {
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
    while (ucp_request_check_status(sent) == UCS_INPROGRESS) work();
    ucp_request_free(sent);
  }
  void say_frame(std::vector<wire::message> all, std::uint32_t silent = 0) {
    for (const wire::message& one : all) packer_.add(one);
    const std::span<const std::byte> frame = packer_.close(silent);
    send(static_cast<unsigned>(ucx::kind::frame), {frame.begin(), frame.end()});
  }
  void pass_over_a_number() { (void)packer_.close(0); }
  void say_request(std::uint32_t handler, am_word word) {
    say_frame({make(wire::message_kind::request, handler, word)});
  }
  void answer(std::uint32_t silent = 0) {
    say_frame({make(wire::message_kind::reply, answered, 1)}, silent);
  }
  // An id for requests or replies with this handler.
  void offer(wire::message_kind kind, std::uint16_t handler) {
    const auto text = ucx::offered_id{{kind, handler}, own_id}.encode();
    say(ucx::kind::offer, {text.begin(), text.end()});
    settle();
  }
  void wish_for(std::uint16_t handler) {
    const auto text = ucx::short_form{wire::message_kind::request, handler}.encode();
    say(ucx::kind::wish, {text.begin(), text.end()});
  }
  // The id that the rank offers for such requests. All that was said before it has come.
  ucx::offered_id ask_for_id(std::uint16_t handler) {
    const std::size_t before = heard_of(ucx::kind::offer);
    wish_for(handler);
    await([&] { return heard_of(ucx::kind::offer) > before; });
    const auto offer = ucx::offered_id::decode(heard.back().second);
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

  // ---- hearing ----

  void work() {
    engine_->progress();
    other_.transport->poll(64);
  }
  // What was said has come, and is handled.
  void settle() {
    (void)other_.transport->flush();  // behind which each poll looks, and not just now and then
    for (unsigned i = 0; i < 100; ++i) work();
  }
  template <class Holds>
  void await(Holds&& holds) {
    REQUIRE(poll_until({&other_}, [&] {
      engine_->progress();
      return holds();
    }));
  }
  [[nodiscard]] std::size_t heard_of(ucx::kind what) const {
    std::size_t count = 0;
    for (const auto& [kind, text] : heard) count += kind == what ? 1 : 0;
    return count;
  }

  // The rank's request, which the peer answers: did it come alone?
  bool ask(std::uint32_t handler = asking) {
    const std::size_t before = alone.size();
    const std::size_t frames = heard_of(ucx::kind::frame);
    ::am_test::send(*port, 5, handler);
    await([&] { return alone.size() + heard_of(ucx::kind::frame) > before + frames; });
    return alone.size() > before;
  }

  seam::port* port = nullptr;
  std::vector<std::pair<ucx::kind, bytes>> heard;
  std::vector<std::pair<bool, bytes>> alone;  // with one more silent request, and the words

 private:
  struct ear {
    played_peer* of;
    bool has_silent;
  };
  static ucs_status_t hear(void* listening, const void*, std::size_t, void* data, std::size_t size,
                           const ucp_am_recv_param_t*) {
    const ear& at = *static_cast<const ear*>(listening);
    const auto* const first = static_cast<const std::byte*>(data);
    at.of->alone.emplace_back(at.has_silent, bytes(first, first + size));
    return UCS_OK;
  }
  bool has_come(ucx::kind what, am_rank, std::span<const std::byte> text, bool) noexcept override {
    heard.emplace_back(what, bytes(text.begin(), text.end()));
    return false;
  }
  void has_come_alone(const ucx::lone_message&, std::span<const std::byte>) noexcept override {}

  member& other_;
  ear plain_{this, false};
  ear silent_{this, true};
  std::unique_ptr<ucx::engine> engine_;
  ucp_ep_h endpoint_ = nullptr;
  wire::packer packer_{wire::full_frame_bytes, 1U};
};

struct beside_a_peer {
  member zero{0};
  played_peer peer{zero};
};

// Fragments of UCX's that are shorter than the frames behind which a lone message may go.
struct short_fragments {
  short_fragments() {
    for (const char* const name : names) ::setenv(name, "256", 1);
  }
  ~short_fragments() {
    for (const char* const name : names) ::unsetenv(name);
  }
  static constexpr const char* names[] = {"UCX_POSIX_SEG_SIZE", "UCX_TCP_TX_SEG_SIZE"};
};
struct beside_a_peer_in_pieces : private short_fragments, beside_a_peer {};

bytes a_word(unsigned value) {
  bytes all(sizeof(am_word));
  all[0] = std::byte(value);
  return all;
}

constexpr auto request = wire::message_kind::request;
constexpr auto reply = wire::message_kind::reply;

}  // namespace

TEST_CASE_FIXTURE(beside_a_peer, "after some lone requests a rank wishes for an id, once") {
  for (unsigned i = 0; i < 30; ++i) {
    CHECK(peer.heard_of(ucx::kind::wish) == (i < 16 ? 0 : 1));
    CHECK_FALSE(peer.ask());
    peer.answer();
    peer.await([&] { return peer.port->credits.on_their_way() == 0; });
  }
  for (const auto& [kind, text] : peer.heard)
    if (kind == ucx::kind::wish) {
      const auto form = ucx::short_form::decode(text);
      REQUIRE(form);
      CHECK(form->kind == request);
      CHECK(form->handler == asking);
    }
}

TEST_CASE_FIXTURE(beside_a_peer,
                  "a lone request goes under the id that was offered, and no other") {
  peer.offer(request, asking);
  REQUIRE(peer.ask());
  CHECK(peer.alone[0].second.size() == sizeof(am_word));
  CHECK(peer.alone[0].second[0] == std::byte{5});
  CHECK_FALSE(peer.alone[0].first);
  peer.answer();
  peer.await([&] { return peer.port->credits.on_their_way() == 0; });
  CHECK_FALSE(peer.ask(silent));
  // That was frame number 1: the other had the number before it.
  CHECK(wire::unpacker::number_of(peer.heard.back().second.data()) == 1);
}

TEST_CASE_FIXTURE(beside_a_peer, "a lone answer goes under its id, and tells of a silent request") {
  peer.offer(reply, answered);
  peer.say_request(asking, 9);
  peer.await([&] { return peer.alone.size() == 1; });
  CHECK(peer.alone[0].second[0] == std::byte{9});
  CHECK_FALSE(peer.alone[0].first);
  peer.say_frame({played_peer::make(request, silent, 1), played_peer::make(request, asking, 2)});
  peer.await([&] { return peer.alone.size() == 2; });
  CHECK(peer.alone[1].first);
  const std::size_t frames = peer.heard_of(ucx::kind::frame);
  peer.say_frame({played_peer::make(request, silent, 1), played_peer::make(request, silent, 1),
                  played_peer::make(request, asking, 2)});
  peer.await([&] { return peer.heard_of(ucx::kind::frame) == frames + 1; });
  CHECK(peer.alone.size() == 2);
}

TEST_CASE_FIXTURE(beside_a_peer, "nothing goes without its frame that could pass a long one") {
  peer.offer(request, asking);
  const bytes payload(1000);
  const am_word words[AM_WORDS] = {};
  peer.port->credits.take();
  REQUIRE(peer.port->send_medium(asking, words, payload.data(), payload.size()) == AM_OK);
  peer.await([&] { return peer.heard_of(ucx::kind::frame) == 1; });
  peer.answer();
  peer.await([&] { return peer.port->credits.on_their_way() == 0; });
  CHECK_FALSE(peer.ask());
  peer.answer();
  peer.await([&] { return peer.port->credits.on_their_way() == 0; });
  CHECK(peer.ask());
}

TEST_CASE_FIXTURE(beside_a_peer, "wishes and offers that make no sense change nothing") {
  const bytes wishes[] = {{}, bytes(3), {std::byte{2}, {}, {}, {}}, bytes(5, std::byte{1})};
  for (const bytes& one : wishes) peer.say(ucx::kind::wish, one);
  const bytes offers[] = {{},
                          bytes(5),
                          {std::byte{1}, {}, std::byte{1}, {}, std::byte{3}, {}},
                          {std::byte{1}, {}, std::byte{1}, {}, std::byte{255}, std::byte{255}}};
  for (const bytes& one : offers) peer.say(ucx::kind::offer, one);
  CHECK(peer.ask_for_id(7).form.handler == 7);
  CHECK(peer.heard_of(ucx::kind::offer) == 1);
  CHECK_FALSE(peer.ask());
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE_FIXTURE(beside_a_peer, "a rank offers ids, up to a limit, and one that it knows again") {
  for (std::uint16_t handler = 0; handler < 100; ++handler) peer.wish_for(handler);
  peer.await([&] { return peer.heard_of(ucx::kind::offer) >= 32; });
  CHECK(peer.ask_for_id(0).form.handler == 0);
  CHECK(peer.heard_of(ucx::kind::offer) == 33);
}

TEST_CASE_FIXTURE(beside_a_peer, "a message under an id runs, or ends the pair if it is none") {
  const ucx::offered_id offer = peer.ask_for_id(0);
  peer.send(offer.id, a_word(7));
  peer.await([&] { return zero.seen.all.size() == 1; });
  CHECK(zero.seen.all[0] == recorder::ran{1, 0, 7, 0});
  // It has the next number: frames go on behind it.
  peer.pass_over_a_number();
  peer.say_request(silent, 8);
  peer.await([&] { return zero.seen.all.size() == 2; });
  CHECK(zero.seen.deaths.empty());
  SUBCASE("what is no row of words") { peer.send(offer.id, bytes(7)); }
  SUBCASE("five words") { peer.send(offer.id, bytes(40)); }
  SUBCASE("more silent requests than there were") { peer.send(offer.id + 1U, bytes(8)); }
  peer.await([&] { return zero.seen.deaths.size() == 1; });
  peer.send(offer.id, a_word(9));  // comes too late
  peer.settle();
  CHECK(zero.seen.all.size() == 2);
}

TEST_CASE_FIXTURE(beside_a_peer, "a lone message comes before a frame that had come too early") {
  const ucx::offered_id offer = peer.ask_for_id(silent);
  peer.pass_over_a_number();
  peer.say_request(silent, 2);
  (void)peer.ask_for_id(silent);  // so the frame has come, and now a look finds that it waits
  peer.work();
  CHECK(zero.seen.all.empty());
  peer.send(offer.id, a_word(1));
  peer.await([&] { return zero.seen.all.size() == 2; });
  CHECK(zero.seen.all[0].word == 1);
  CHECK(zero.seen.all[1].word == 2);
}

TEST_CASE_FIXTURE(beside_a_peer, "what comes under an id that nobody was offered is passed over") {
  const ucx::offered_id offer = peer.ask_for_id(silent);
  peer.send(0, a_word(1));
  for (unsigned id = ucx::kinds + 1; id < 300; ++id)
    if (id != offer.id && id != offer.id + 1U) peer.send(id, a_word(1));
  peer.send(0xffff, a_word(1));
  peer.send(offer.id, a_word(2));
  peer.await([&] { return zero.seen.all.size() == 1; });
  CHECK(zero.seen.all[0].word == 2);
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE_FIXTURE(beside_a_peer, "a request without its frame comes back when the pair is lost") {
  peer.offer(request, asking);
  REQUIRE(peer.ask());
  peer.say(ucx::kind::lost, {});
  peer.await([&] { return zero.seen.deaths.size() == 1; });
  peer.offer(request, silent);  // comes too late
  struct final_words : seam::mourner {
    [[nodiscard]] bool has_died(am_rank) const noexcept override { return false; }
    void lost(am_rank, const seam::lost_request& one) noexcept override { all.push_back(one); }
    std::vector<seam::lost_request> all;
  } back;
  peer.port->give_up(back);
  REQUIRE(back.all.size() == 1);
  CHECK(back.all[0].handler == asking);
  CHECK(back.all[0].unknown);
}

TEST_CASE_FIXTURE(beside_a_peer_in_pieces, "where UCX cuts small frames all go in frames") {
  peer.wish_for(silent);
  peer.offer(request, asking);
  CHECK(peer.heard_of(ucx::kind::offer) == 0);
  CHECK_FALSE(peer.ask());
}

TEST_CASE("lone messages that come where no handler may run wait in their order") {
  member zero(0);
  member one(1);
  seam::port& there = contact(zero, one);
  seam::port& back = contact(one, zero);
  am_word sent = 0;
  const auto ask = [&] {
    send(there, sent++, silent);
    REQUIRE(poll_until({&one}, [&] { return one.seen.all.size() == sent; }));
    send(back, sent, silent);
    REQUIRE(poll_until({&zero}, [&] { return zero.seen.all.size() == sent; }));
  };
  // Long enough that both have an id for what they send.
  for (unsigned i = 0; i < 100; ++i) ask();
  CHECK(there.credits.on_their_way() == 0);
  send(there, sent++, silent);
  for (unsigned i = 0; i < 1000; ++i) back.refresh();
  CHECK(one.seen.all.size() == sent - 1);
  CHECK(back.credits.on_their_way() == 0);  // the credit came with it, though it has not run
  for (unsigned i = 0; i < 3; ++i) send(there, sent++, silent);
  REQUIRE(zero.transport->flush() == AM_OK);
  for (unsigned i = 0; i < 1000; ++i) back.refresh();
  REQUIRE(poll_until({&one}, [&] { return one.seen.all.size() == sent; }));
  for (am_word i = 0; i < sent; ++i) CHECK(one.seen.all[i].word == i);
  CHECK(one.seen.deaths.empty());
}
