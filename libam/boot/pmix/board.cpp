#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/boot/pmix/board.hpp>
#include <libam/seam/boot.hpp>
#include <libam/wire/little_endian.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::pmix {

namespace {

constexpr std::size_t piece_bytes = 1U << 20;
// Before the first piece: the fence, and how many bytes follow in all pieces.
constexpr std::size_t head_bytes = 2 * sizeof(std::uint64_t);
constexpr std::size_t word = sizeof(std::uint32_t);

void add(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class Number>
void add_number(std::vector<std::byte>& to, Number number) {
  std::byte room[sizeof number];
  wire::write_number(room, number);
  add(to, room);
}

// A sequence of {key bytes, blob bytes, key, blob}; false: it is none.
template <class Visit>
bool each_blob(std::span<const std::byte> bytes, Visit&& visit) {
  while (!bytes.empty()) {
    if (bytes.size() < 2 * word) return false;
    const std::size_t key_bytes = wire::read_number<std::uint32_t>(bytes.data());
    const std::size_t blob_bytes = wire::read_number<std::uint32_t>(bytes.data() + word);
    bytes = bytes.subspan(2 * word);
    if (key_bytes > bytes.size() || blob_bytes > bytes.size() - key_bytes) return false;
    visit(std::string_view(reinterpret_cast<const char*>(bytes.data()), key_bytes),
          bytes.subspan(key_bytes, blob_bytes));
    bytes = bytes.subspan(key_bytes + blob_bytes);
  }
  return true;
}

}  // namespace

board::board(session& server, unsigned join)
    : server_(server), join_(join), sheets_(server.ranks()) {}

std::string board::name(unsigned number, std::size_t piece) const {
  return base::format("am.{}.{}.{}", join_, number, piece);
}

am_status board::put(std::string_view key, std::span<const std::byte> blob) {
  if (const am_status status = seam::check_put(key, blob, pending_.size()); status != AM_OK)
    return status;
  add_number(pending_, static_cast<std::uint32_t>(key.size()));
  add_number(pending_, static_cast<std::uint32_t>(blob.size()));
  add(pending_, std::as_bytes(std::span(key.data(), key.size())));
  add(pending_, blob);
  return AM_OK;
}

am_status board::send() {
  if (pending_.empty()) return AM_OK;
  bytes whole;
  whole.reserve(head_bytes + pending_.size());
  add_number(whole, passed_ + 1);
  add_number(whole, std::uint64_t{pending_.size()});
  add(whole, pending_);
  const std::span<const std::byte> all(whole);
  for (std::size_t piece = 0; piece * piece_bytes < all.size(); ++piece) {
    const std::size_t from = piece * piece_bytes;
    const am_status status = server_.put(
        name(sent_, piece), all.subspan(from, std::min(piece_bytes, all.size() - from)));
    if (status != AM_OK) return status;
  }
  if (const am_status status = server_.send(); status != AM_OK) return status;
  ++sent_;
  pending_.clear();
  return AM_OK;
}

// All pieces of a parcel came to the server at once, so one that has begun is whole.
am_status board::fetch(am_rank rank, unsigned number, std::optional<parcel>& came) {
  came.reset();
  const auto broken = [&] {
    return base::fail(AM_PEER_LOST, "get: what rank {} has put makes no sense (parcel {})", rank,
                      number);
  };
  bytes piece;
  bool found = false;
  am_status status = server_.get(rank, name(number, 0), piece, found);
  if (status != AM_OK || !found) return status;
  if (piece.size() < head_bytes) return broken();
  parcel made{wire::read_number<std::uint64_t>(piece.data()), {}};
  const auto total = wire::read_number<std::uint64_t>(piece.data() + sizeof(std::uint64_t));
  made.blobs.assign(piece.begin() + head_bytes, piece.end());
  for (unsigned i = 1; made.blobs.size() < total; ++i) {
    status = server_.get(rank, name(number, i), piece, found);
    if (status != AM_OK) return status;
    if (!found || piece.empty()) return broken();
    add(made.blobs, piece);
  }
  if (made.blobs.size() != total || !each_blob(made.blobs, [](auto, auto) {})) return broken();
  came = std::move(made);
  return AM_OK;
}

am_status board::look(am_rank rank, sheet& at) {
  while (at.looked != passed_) {
    if (!at.early) {
      if (const am_status status = fetch(rank, at.next, at.early); status != AM_OK) return status;
    }
    if (!at.early || at.early->fence > passed_) {
      at.looked = passed_;
      break;
    }
    each_blob(at.early->blobs, [&](std::string_view key, std::span<const std::byte> blob) {
      at.blobs[std::string(key)].assign(blob.begin(), blob.end());
    });
    at.early.reset();
    ++at.next;
  }
  return AM_OK;
}

am_status board::get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) {
  if (rank >= sheets_.size())
    return base::fail(AM_ARGUMENT_RANK, "get: there is no rank {} in a job of {}", rank,
                      sheets_.size());
  sheet& at = sheets_[rank];
  if (const am_status status = look(rank, at); status != AM_OK) return status;
  const auto found = at.blobs.find(key);
  if (found == at.blobs.end())
    return base::fail(AM_ARGUMENT_SETTING, "get: rank {} had not put '{}' before the last fence",
                      rank, key);
  blob = found->second;
  return AM_OK;
}

}  // namespace am::detail::pmix
