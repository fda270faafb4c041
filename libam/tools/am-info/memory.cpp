// Less is in use than the range of addresses: the channel of a rank to itself is never used.
#include <libam/tools/am-info/memory.hpp>

#include <transports/shm/layout.hpp>

namespace am::detail::info {

memory_use memory_use_of(am_rank ranks, std::uint32_t slots, wire::payload_sizes payloads) {
  const shm::layout layout(ranks, slots, payloads);
  const std::size_t peers = ranks - 1;
  memory_use use;
  use.ranks = ranks;
  use.slots = slots;
  use.payloads = payloads;
  use.channel_at_first = layout.fresh_channel_bytes();
  use.channel_at_most = layout.channel_bytes();
  const std::size_t alone = shm::page + layout.directory_bytes();
  use.rank_at_first = alone + peers * use.channel_at_first;
  use.rank_at_most = alone + peers * use.channel_at_most;
  use.job_at_most = ranks * use.rank_at_most;
  use.address_space = layout.job_bytes();
  return use;
}

}  // namespace am::detail::info
