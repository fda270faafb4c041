#include <transports/ucx/short_ids.hpp>

#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {
// Behind the ids of `kind`.
constexpr unsigned first_id = 16;
constexpr unsigned max_ids = 0x10000 - first_id;  // UCX's ids have 16 bits
static_assert(kind_count < first_id);
}  // namespace

// ---- encoding -----------------------------------------------------------------------------------

std::array<std::byte, short_id_key::bytes> short_id_key::encode() const {
  std::array<std::byte, bytes> made{static_cast<std::byte>(kind)};
  wire::write_number(made.data() + 2, handler);
  return made;
}

std::optional<short_id_key> short_id_key::decode(std::span<const std::byte> from) {
  if (from.size() != bytes) return std::nullopt;
  const auto kind = static_cast<wire::message_kind>(from[0]);
  if (kind != wire::message_kind::request && kind != wire::message_kind::reply) return std::nullopt;
  return short_id_key{kind, wire::read_number<std::uint16_t>(from.data() + 2)};
}

std::array<std::byte, offered_id::bytes> offered_id::encode() const {
  std::array<std::byte, bytes> made{};
  std::ranges::copy(key.encode(), made.begin());
  wire::write_number(made.data() + short_id_key::bytes, id);
  return made;
}

std::optional<offered_id> offered_id::decode(std::span<const std::byte> from) {
  if (from.size() != bytes) return std::nullopt;
  const auto key = short_id_key::decode(from.first(short_id_key::bytes));
  const auto id = wire::read_number<std::uint16_t>(from.data() + short_id_key::bytes);
  if (!key || id < first_id || id == 0xffff) return std::nullopt;
  return offered_id{*key, id};
}

// ---- of this rank -------------------------------------------------------------------------------

bool own_short_ids::add_id_request(am_rank by, std::span<const std::byte> encoded) {
  const auto what = short_id_key::decode(encoded);
  if (what) id_requests_.emplace_back(by, *what);
  return what.has_value();
}

void own_short_ids::send_offers(const peers& all_peers) {
  for (const auto& [peer, what] : std::exchange(id_requests_, {})) {
    channel& with = all_peers[peer];
    if (!with.is_open()) continue;
    if (const auto offer = offer_to(peer, what))
      with.out.send_control(kind::id_offer, offer->encode());
  }
}

// UCX makes the fragments of a lane no longer than either end takes, so both ends check their own.
std::optional<offered_id> own_short_ids::offer_to(am_rank peer, const short_id_key& what) {
  if (!ucx_.keeps_order()) return std::nullopt;
  const auto name = std::tuple(peer, what.kind, what.handler);
  if (const auto known = ids_.find(name); known != ids_.end())
    return offered_id{what, known->second};
  unsigned& of_peer = id_count_of_peer_[peer];
  if (of_peer == max_ids_per_peer || recv_contexts_.size() + 2 > max_ids) return std::nullopt;
  const auto id = static_cast<std::uint16_t>(first_id + recv_contexts_.size());
  for (const bool has_silent : {false, true}) {
    recv_contexts_.push_back({&sink_, {peer, what.kind, has_silent, what.handler}});
    const unsigned at = id + (has_silent ? 1 : 0);
    if (ucx_.set_recv_handler(at, &own_short_ids::on_receive, &recv_contexts_.back()) != UCS_OK)
      return std::nullopt;
  }
  ++of_peer;
  ids_.emplace(name, id);
  return offered_id{what, id};
}

// A message that UCX only announces (rendezvous) was sent by no rank of libam.
ucs_status_t own_short_ids::on_receive(void* arg, const void*, std::size_t, void* data,
                                       std::size_t bytes, const ucp_am_recv_param_t* how) noexcept {
  const recv_context& at = *static_cast<const recv_context*>(arg);
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0)
    at.sink->on_lone_message(at.what, {static_cast<const std::byte*>(data), bytes});
  return UCS_OK;
}

// ---- of a peer ----------------------------------------------------------------------------------

remote_short_ids::id_entry& remote_short_ids::find_or_make(wire::message_kind kind,
                                                           std::uint16_t handler) {
  if (handler >= by_handler_.size()) by_handler_.resize(std::size_t{handler} + 1);
  handler_ids& one = by_handler_[handler];
  return kind == wire::message_kind::request ? one.request : one.reply;
}

bool remote_short_ids::count_miss(wire::message_kind kind, std::uint16_t handler) {
  id_entry& one = find_or_make(kind, handler);
  if (one.misses == misses_before_request) return false;
  return ++one.misses == misses_before_request;
}

void remote_short_ids::learn(const offered_id& one) {
  find_or_make(one.key.kind, one.key.handler).id = one.id;
}

}  // namespace am::detail::ucx
