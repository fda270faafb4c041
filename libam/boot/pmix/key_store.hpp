// The job's key store over PMIx. PMIx may answer a key for ever as it did the first time, so no key
// is used twice: each rank numbers its batches. A batch has all blobs of one fence, and the number
// of that fence, because a fast rank may have sent the next one when a slow rank reads. It is cut
// into pieces that every server takes (that of Open MPI 4.1 ends, and the job with it, at a piece
// of 4 MiB). A fence before which nothing was put sends nothing.
#pragma once

#include <libam/boot/pmix/session.hpp>
#include <libam/seam/blob_list.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::pmix {

class key_store {
 public:
  key_store(session& server, unsigned join);

  am_status put(std::string_view key, std::span<const std::byte> blob);
  // Sends what was put, for the next fence.
  am_status commit();
  // That fence has passed.
  void on_fence_passed() noexcept { ++fences_passed_; }

  // See seam::boot::get.
  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob);

 private:
  using bytes = std::vector<std::byte>;
  struct fence_batch {
    std::uint64_t fence;
    bytes blobs;
  };
  // What a rank has sent, as far as it was read.
  struct peer_values {
    seam::blob_list blobs;
    std::uint64_t checked_at_fence = 0;        // fences_passed_ when its batches were last read
    unsigned next_batch = 0;                   // the number of its next batch
    std::unique_ptr<fence_batch> early_batch;  // for a fence that has not passed
  };

  [[nodiscard]] std::string piece_key(unsigned number, std::size_t piece) const;
  am_status update(am_rank rank, peer_values& at);
  am_status fetch(am_rank rank, unsigned number, std::unique_ptr<fence_batch>& fetched);

  session& server_;
  const unsigned join_number_;
  std::string pending_;
  unsigned batches_sent_ = 0;
  std::uint64_t fences_passed_ = 0;
  std::vector<peer_values> peer_values_;  // by rank
};

}  // namespace am::detail::pmix
