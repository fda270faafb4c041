// Ids of UCX's active messages under which a lone request or reply comes without its frame: the id
// stands for the sender, the handler, and whether one more silent request has been handled there.
// So UCX's own header is all that is sent beside the words.
//
// An id is valid only at the rank that has chosen it. A rank that has sent enough such messages for
// one handler requests an id, and the receiver offers one; it need not.
#pragma once

#include <libam/wire/frame.hpp>
#include <transports/ucx/channel_manager.hpp>
#include <transports/ucx/engine.hpp>

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

// The messages for which an id is requested and offered.
struct short_id_key {
  wire::message_kind kind;  // a request or a reply
  std::uint16_t handler;

  static constexpr std::size_t bytes = 4;
  // Nothing: it is invalid.
  static std::optional<short_id_key> decode(std::span<const std::byte> from);
  [[nodiscard]] std::array<std::byte, bytes> encode() const;
};
// An offer: the key, then the id; id + 1 also reports one more silent request.
struct offered_id {
  short_id_key key;
  std::uint16_t id;

  static constexpr std::size_t bytes = short_id_key::bytes + 2;
  static std::optional<offered_id> decode(std::span<const std::byte> from);
  [[nodiscard]] std::array<std::byte, bytes> encode() const;
};

// The ids that this rank has offered its peers.
class own_short_ids {
 public:
  // Messages under them go to `to`.
  own_short_ids(engine& ucx, message_sink& to) noexcept : ucx_(ucx), sink_(to) {}

  // A peer requests an id; false: the request is invalid.
  bool add_id_request(am_rank by, std::span<const std::byte> encoded);
  [[nodiscard]] bool has_id_requests() const noexcept { return !id_requests_.empty(); }
  // Offers an id to each peer that has requested one, while there are any left.
  void send_offers(const peers& all_peers);

 private:
  std::optional<offered_id> offer_to(am_rank peer, const short_id_key& what);

  static constexpr unsigned max_ids_per_peer = 32;

  struct recv_context {
    message_sink* sink;
    lone_message what;
  };
  static ucs_status_t on_receive(void* arg, const void* header, std::size_t header_bytes,
                                 void* data, std::size_t bytes,
                                 const ucp_am_recv_param_t* how) noexcept;

  engine& ucx_;
  message_sink& sink_;
  std::vector<std::pair<am_rank, short_id_key>> id_requests_;
  std::deque<recv_context> recv_contexts_;  // by id; UCX has their addresses
  std::map<std::tuple<am_rank, wire::message_kind, std::uint16_t>, std::uint16_t> ids_;
  std::map<am_rank, unsigned> id_count_of_peer_;
};

// The ids that one peer has offered, and the count of messages that lacked one.
class remote_short_ids {
 public:
  // The id; 0: there is none.
  [[nodiscard]] unsigned find(wire::message_kind kind, std::uint16_t handler) const noexcept {
    return handler < by_handler_.size() ? by_handler_[handler].for_kind(kind).id : 0;
  }
  // Such a message was sent in a frame. True: request an id.
  bool count_miss(wire::message_kind kind, std::uint16_t handler);
  void learn(const offered_id& one);

 private:
  static constexpr std::uint16_t misses_before_request = 16;  // messages

  struct id_entry {
    std::uint16_t id = 0;
    std::uint16_t misses = 0;
  };
  struct handler_ids {
    id_entry request;
    id_entry reply;

    [[nodiscard]] const id_entry& for_kind(wire::message_kind kind) const noexcept {
      return kind == wire::message_kind::request ? request : reply;
    }
  };
  id_entry& find_or_make(wire::message_kind kind, std::uint16_t handler);

  std::vector<handler_ids> by_handler_;
};

}  // namespace am::detail::ucx
