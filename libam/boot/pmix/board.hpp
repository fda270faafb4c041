// The blackboard over PMIx. What PMIx has once answered it may answer for ever, so nothing is sent
// twice under one key: each rank numbers what it sends, and with it goes the fence that it was sent
// before, for a fast rank has sent the next when a slow one asks. All blobs of one fence travel
// together, cut into pieces that every server takes (that of Open MPI 4.1 ends, and the job with
// it, at a piece of 4 MiB). A fence before which nothing was put sends nothing.
#pragma once

#include <libam/boot/pmix/session.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::pmix {

class board {
 public:
  board(session& server, unsigned join);

  am_status put(std::string_view key, std::span<const std::byte> blob);
  // Sends what was put, for the fence that comes next.
  am_status send();
  // That fence has passed.
  void turn() noexcept { ++passed_; }

  // As seam::boot::get.
  am_status get(am_rank rank, std::string_view key, std::vector<std::byte>& blob);

 private:
  using bytes = std::vector<std::byte>;
  struct parcel {
    std::uint64_t fence;
    bytes blobs;
  };
  // What a rank has sent, as far as it was asked for.
  struct sheet {
    std::map<std::string, bytes, std::less<>> blobs;
    std::uint64_t looked = 0;  // at its parcels, after so many fences
    unsigned next = 0;         // the number of the parcel that comes next
    std::optional<parcel> early;
  };

  [[nodiscard]] std::string name(unsigned number, std::size_t piece) const;
  am_status look(am_rank rank, sheet& at);
  am_status fetch(am_rank rank, unsigned number, std::optional<parcel>& came);

  session& server_;
  const unsigned join_;
  std::string pending_;
  unsigned sent_ = 0;
  std::uint64_t passed_ = 0;
  std::vector<sheet> sheets_;  // by rank
};

}  // namespace am::detail::pmix
