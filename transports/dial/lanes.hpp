// The lanes to and from a rank. Each rank makes the memory of those that lead to it; the others map
// it where they first send there, by its place in /proc. So all ranks have to be on one host, whose
// clock they share, too.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/transport.hpp>
#include <transports/dial/lane.hpp>

#include <vector>

namespace am::detail::dial {

class lanes {
 public:
  // Makes the memory, and puts its place into the job's key store.
  am_status make(const seam::transport_context& context);

  [[nodiscard]] lane_reader from(am_rank rank) const noexcept {
    return lane_reader(lane_of(own_, rank));
  }
  // Maps the lane to `rank`, if it is not mapped.
  am_status open(const seam::transport_context& context, am_rank rank);
  // Opened before.
  [[nodiscard]] lane_writer& to(am_rank rank) noexcept { return writers_[rank]; }

 private:
  [[nodiscard]] static lane_entry* lane_of(const base::shared_memory& memory,
                                           am_rank from) noexcept;

  base::shared_memory own_;
  std::vector<base::shared_memory> others_;  // by rank, null before open()
  std::vector<lane_writer> writers_;
};

}  // namespace am::detail::dial
