// Ids of UCX's active messages under which a lone request or reply comes without its frame: the id
// says who sends it, which handler it is for, and whether its sender has had one more silent
// request. So all that travels beside its words is in UCX's own header.
//
// An id means something to the rank alone that has chosen it. Who sends enough such messages for
// one handler wishes for an id, and the receiver offers one; it may also say nothing.
#pragma once

#include <libam/wire/frame.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/keeper.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace am::detail::ucx {

// What a wish and an offer are about.
struct short_form {
  wire::message_kind kind;  // a request or a reply
  std::uint16_t handler;

  static constexpr std::size_t bytes = 4;
  // Nothing: it makes no sense.
  static std::optional<short_form> decode(std::span<const std::byte> from);
  [[nodiscard]] std::array<std::byte, bytes> encode() const;
};
// An offer: the form, then the id; the one behind it is for one more silent request.
struct offered_id {
  short_form form;
  std::uint16_t id;

  static constexpr std::size_t bytes = short_form::bytes + 2;
  static std::optional<offered_id> decode(std::span<const std::byte> from);
  [[nodiscard]] std::array<std::byte, bytes> encode() const;
};

// Those that this rank has offered its peers.
class own_short_ids {
 public:
  // What comes under them is told to `to`.
  own_short_ids(engine& ucx, hearer& to) noexcept : ucx_(ucx), to_(to) {}

  // A peer wishes for one; false: that makes no sense.
  bool note_wish(am_rank by, std::span<const std::byte> wish);
  [[nodiscard]] bool has_wishes() const noexcept { return !wishes_.empty(); }
  // Those that have wished are offered one, if there are any left.
  void answer(const peers& all);

 private:
  std::optional<offered_id> offer_to(am_rank peer, const short_form& what);

  static constexpr unsigned most_of_a_peer = 32;

  struct ear {
    hearer* to;
    lone_message what;
  };
  static ucs_status_t hear(void* listening, const void* header, std::size_t header_bytes,
                           void* data, std::size_t bytes, const ucp_am_recv_param_t* how) noexcept;

  engine& ucx_;
  hearer& to_;
  std::vector<std::pair<am_rank, short_form>> wishes_;
  std::deque<ear> ears_;  // by id; UCX knows where they are
  std::map<std::tuple<am_rank, wire::message_kind, std::uint16_t>, std::uint16_t> ids_;
  std::map<am_rank, unsigned> of_peer_;
};

// Those that one peer has offered, and which are worth a wish.
class offered_short_ids {
 public:
  // Its id; 0: there is none.
  [[nodiscard]] unsigned find(wire::message_kind kind, std::uint16_t handler) const noexcept {
    return handler < by_handler_.size() ? by_handler_[handler].of(kind).id : 0;
  }
  // Such a message has gone in a frame. True: wish for an id.
  bool missed(wire::message_kind kind, std::uint16_t handler);
  void learn(const offered_id& one);

 private:
  static constexpr std::uint16_t worth_a_wish = 16;  // messages

  struct known {
    std::uint16_t id = 0;
    std::uint16_t missed = 0;
  };
  struct of_handler {
    known request;
    known reply;

    [[nodiscard]] const known& of(wire::message_kind kind) const noexcept {
      return kind == wire::message_kind::request ? request : reply;
    }
  };
  known& find_or_make(wire::message_kind kind, std::uint16_t handler);

  std::vector<of_handler> by_handler_;
};

}  // namespace am::detail::ucx
