#include <libam/wire/little_endian.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/short_ids.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::ucx {

namespace {
// Behind those of the kinds.
constexpr unsigned first_id = 16;
constexpr unsigned most_ids = 0x10000 - first_id;  // UCX's ids have 16 bits
static_assert(kinds < first_id);
}  // namespace

// ---- as they travel -----------------------------------------------------------------------------

std::array<std::byte, short_form::bytes> short_form::encode() const {
  std::array<std::byte, bytes> made{static_cast<std::byte>(kind)};
  wire::write_number(made.data() + 2, handler);
  return made;
}

std::optional<short_form> short_form::decode(std::span<const std::byte> from) {
  if (from.size() != bytes) return std::nullopt;
  const auto kind = static_cast<wire::message_kind>(from[0]);
  if (kind != wire::message_kind::request && kind != wire::message_kind::reply) return std::nullopt;
  return short_form{kind, wire::read_number<std::uint16_t>(from.data() + 2)};
}

std::array<std::byte, offered_id::bytes> offered_id::encode() const {
  std::array<std::byte, bytes> made{};
  std::ranges::copy(form.encode(), made.begin());
  wire::write_number(made.data() + short_form::bytes, id);
  return made;
}

std::optional<offered_id> offered_id::decode(std::span<const std::byte> from) {
  if (from.size() != bytes) return std::nullopt;
  const auto form = short_form::decode(from.first(short_form::bytes));
  const auto id = wire::read_number<std::uint16_t>(from.data() + short_form::bytes);
  if (!form || id < first_id || id == 0xffff) return std::nullopt;
  return offered_id{*form, id};
}

// ---- this rank's --------------------------------------------------------------------------------

bool own_short_ids::note_wish(am_rank by, std::span<const std::byte> wish) {
  const auto what = short_form::decode(wish);
  if (what) wishes_.emplace_back(by, *what);
  return what.has_value();
}

void own_short_ids::answer(const peers& all) {
  for (const auto& [peer, what] : std::exchange(wishes_, {})) {
    channel& with = all[peer];
    if (!with.is_open()) continue;
    if (const auto offer = offer_to(peer, what)) with.out.tell(kind::offer, offer->encode());
  }
}

// UCX makes the fragments of a way no longer than either end takes, so both look at their own.
std::optional<offered_id> own_short_ids::offer_to(am_rank peer, const short_form& what) {
  if (!ucx_.keeps_order()) return std::nullopt;
  const auto name = std::tuple(peer, what.kind, what.handler);
  if (const auto known = ids_.find(name); known != ids_.end())
    return offered_id{what, known->second};
  unsigned& of_peer = of_peer_[peer];
  if (of_peer == most_of_a_peer || ears_.size() + 2 > most_ids) return std::nullopt;
  const auto id = static_cast<std::uint16_t>(first_id + ears_.size());
  for (const bool has_silent : {false, true}) {
    ears_.push_back({&to_, {peer, what.kind, has_silent, what.handler}});
    const unsigned at = id + (has_silent ? 1 : 0);
    if (ucx_.listen_at(at, &own_short_ids::hear, &ears_.back()) != UCS_OK) return std::nullopt;
  }
  ++of_peer;
  ids_.emplace(name, id);
  return offered_id{what, id};
}

// UCX announces such a message for no rank of libam's.
ucs_status_t own_short_ids::hear(void* listening, const void*, std::size_t, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* how) noexcept {
  const ear& at = *static_cast<const ear*>(listening);
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0)
    at.to->has_come_alone(at.what, {static_cast<const std::byte*>(data), bytes});
  return UCS_OK;
}

// ---- a peer's -----------------------------------------------------------------------------------

offered_short_ids::known& offered_short_ids::find_or_make(wire::message_kind kind,
                                                          std::uint16_t handler) {
  if (handler >= by_handler_.size()) by_handler_.resize(std::size_t{handler} + 1);
  of_handler& one = by_handler_[handler];
  return kind == wire::message_kind::request ? one.request : one.reply;
}

bool offered_short_ids::missed(wire::message_kind kind, std::uint16_t handler) {
  known& one = find_or_make(kind, handler);
  if (one.missed == worth_a_wish) return false;
  return ++one.missed == worth_a_wish;
}

void offered_short_ids::learn(const offered_id& one) {
  find_or_make(one.form.kind, one.form.handler).id = one.id;
}

}  // namespace am::detail::ucx
