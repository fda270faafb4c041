// A peer of a rank, simulated by the test: it sends frames and lone messages as it likes, and keeps
// all that the rank sends, as UCX delivers it.
#pragma once

#include "two_ranks.hpp"

#include <libam/wire/packer.hpp>
#include <transports/ucx/short_ids.hpp>

#include <utility>
#include <vector>

namespace am_test {

namespace wire = am::detail::wire;
using bytes = std::vector<std::byte>;

inline constexpr std::uint16_t own_id = 100;  // the id that the simulated peer offers

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
  wire::packer packer_{am::detail::ucx::full_frame_bytes, 1U};
};

struct with_simulated_peer {
  member zero{0};
  simulated_peer peer{zero};
};

}  // namespace am_test
