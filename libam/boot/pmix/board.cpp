#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/boot/pmix/board.hpp>
#include <libam/seam/blobs.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::pmix {

namespace {

constexpr std::size_t piece_bytes = 1U << 20;
// Before the first piece: the fence, and how many bytes follow in all pieces.
constexpr std::size_t head_bytes = 2 * sizeof(std::uint64_t);

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
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
  seam::add_blob(pending_, key, blob);
  return AM_OK;
}

am_status board::send() {
  if (pending_.empty()) return AM_OK;
  std::string whole;
  whole.reserve(head_bytes + pending_.size());
  seam::add_long(whole, passed_ + 1);
  seam::add_long(whole, pending_.size());
  whole += pending_;
  const auto all = as_bytes(whole);
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
  seam::cursor head(piece);
  const auto fence = head.long_number();
  const auto total = head.long_number();
  if (!total) return broken();
  parcel made{*fence, {head.rest().begin(), head.rest().end()}};
  for (unsigned i = 1; made.blobs.size() < *total; ++i) {
    status = server_.get(rank, name(number, i), piece, found);
    if (status != AM_OK) return status;
    if (!found || piece.empty()) return broken();
    made.blobs.insert(made.blobs.end(), piece.begin(), piece.end());
  }
  if (made.blobs.size() != *total || !seam::read_blobs(made.blobs)) return broken();
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
    const auto blobs = seam::read_blobs(at.early->blobs);  // fetch() has seen that they are some
    for (const auto& [key, blob] : *blobs)
      at.blobs[std::string(key)].assign(blob.begin(), blob.end());
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
