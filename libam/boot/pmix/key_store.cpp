#include <libam/boot/pmix/key_store.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/seam/blobs.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::pmix {

namespace {
constexpr std::size_t piece_bytes = 1U << 20;
// Before the first piece: the fence, and the number of bytes in all pieces.
constexpr std::size_t head_bytes = 2 * sizeof(std::uint64_t);

}  // namespace

key_store::key_store(session& server, unsigned join)
    : server_(server), join_number_(join), peer_values_(server.ranks()) {}

std::string key_store::piece_key(unsigned number, std::size_t piece) const {
  return base::format("am.{}.{}.{}", join_number_, number, piece);
}

am_status key_store::put(std::string_view key, std::span<const std::byte> blob) {
  if (const am_status status = seam::check_put(key, blob, pending_.size()); status != AM_OK)
    return status;
  seam::add_blob(pending_, key, blob);
  return AM_OK;
}

am_status key_store::commit() {
  if (pending_.empty()) return AM_OK;
  std::string whole;
  whole.reserve(head_bytes + pending_.size());
  seam::add_long(whole, fences_passed_ + 1);
  seam::add_long(whole, pending_.size());
  whole += pending_;
  const auto all = seam::as_bytes(whole);
  for (std::size_t piece = 0; piece * piece_bytes < all.size(); ++piece) {
    const std::size_t from = piece * piece_bytes;
    const am_status status =
        server_.put(piece_key(batches_sent_, piece),
                    all.subspan(from, std::min(piece_bytes, all.size() - from)));
    if (status != AM_OK) return status;
  }
  if (const am_status status = server_.commit(); status != AM_OK) return status;
  ++batches_sent_;
  pending_.clear();
  return AM_OK;
}

// All pieces of a batch came to the server at once, so if there is a first piece there are all.
am_status key_store::fetch(am_rank rank, unsigned number, std::unique_ptr<fence_batch>& fetched) {
  fetched.reset();
  const auto broken = [&] {
    return base::fail(AM_PEER_LOST, "get: what rank {} has put is malformed (batch {})", rank,
                      number);
  };
  bytes piece;
  bool found = false;
  am_status status = server_.get(rank, piece_key(number, 0), piece, found);
  if (status != AM_OK || !found) return status;
  seam::cursor head(piece);
  const auto fence = head.long_number();
  const auto total = head.long_number();
  if (!total) return broken();
  fence_batch made{*fence, {head.rest().begin(), head.rest().end()}};
  for (unsigned i = 1; made.blobs.size() < *total; ++i) {
    status = server_.get(rank, piece_key(number, i), piece, found);
    if (status != AM_OK) return status;
    if (!found || piece.empty()) return broken();
    made.blobs.insert(made.blobs.end(), piece.begin(), piece.end());
  }
  if (made.blobs.size() != *total || !seam::are_blobs(made.blobs)) return broken();
  fetched = std::make_unique<fence_batch>(std::move(made));
  return AM_OK;
}

am_status key_store::update(am_rank rank, peer_values& at) {
  while (at.checked_at_fence != fences_passed_) {
    if (!at.early_batch) {
      if (const am_status status = fetch(rank, at.next_batch, at.early_batch); status != AM_OK)
        return status;
    }
    if (!at.early_batch || at.early_batch->fence > fences_passed_) {
      at.checked_at_fence = fences_passed_;
      break;
    }
    (void)at.blobs.add(at.early_batch->blobs);  // fetch() has checked them
    at.early_batch.reset();
    ++at.next_batch;
  }
  return AM_OK;
}

am_status key_store::get(am_rank rank, std::string_view key, std::vector<std::byte>& blob) {
  if (rank >= peer_values_.size())
    return base::fail(AM_ARGUMENT_RANK, "get: there is no rank {} in a job of {}", rank,
                      peer_values_.size());
  peer_values& at = peer_values_[rank];
  if (const am_status status = update(rank, at); status != AM_OK) return status;
  const auto found = at.blobs.find(key);
  if (!found)
    return base::fail(AM_ARGUMENT_SETTING, "get: rank {} had not put '{}' before the last fence",
                      rank, key);
  blob.assign(found->begin(), found->end());
  return AM_OK;
}

}  // namespace am::detail::pmix
