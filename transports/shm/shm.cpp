#include <transports/shm/shm.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/process_state.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <transports/shm/protocol_violation.hpp>
#include <transports/shm/signal_peer.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace am::detail::shm {

std::unique_ptr<seam::transport> make(const seam::transport_context& context, std::string& why) {
  const layout layout(context.ranks, context.settings.shm_slots,
                      wire::payload_sizes(context.settings.max_medium));
  base::shared_memory memory;
  am_status status = context.job.share_memory(layout.job_bytes(), layout.file_bytes(), memory);
  if (status == AM_OK)
    status = memory.reserve(layout.control_block_at(context.rank), page + layout.directory_bytes());
  if (status != AM_OK) {
    why = base::error_text();
    // The next transport is much slower, and only the user can mend this.
    if (status == AM_RESOURCE_SPACE && context.rank == 0)
      base::log(base::log_level::warn, "shm is not used: {}", why);
    return nullptr;
  }
  return std::make_unique<shared_memory_transport>(context, std::move(memory), layout);
}

shared_memory_transport::shared_memory_transport(const seam::transport_context& context,
                                                 base::shared_memory memory, const layout& layout)
    : poller(object_at<control_block>(memory, layout.control_block_at(context.rank)), context.ranks,
             base::wakeup(context.job.wakeup_socket())),
      context_(context),
      memory_(std::move(memory)),
      layout_(layout),
      segments_(memory_, layout_, context.rank),
      token_(base::random_word()),
      senders_(context.ranks),
      receivers_(context.ranks),
      dead_(context.ranks) {
  auto& block = object_at<control_block>(memory_, layout_.control_block_at(context.rank));
  block.pid = ::getpid();
  block.pid_namespace = base::pid_namespace();
  block.token = token_;
  block.token_address = reinterpret_cast<std::uintptr_t>(&token_);
  const std::size_t at = layout_.control_block_at(context.rank);
  context.job.request_exit_notification({at + offsetof(control_block, attention), deaths_bit,
                                         at + offsetof(control_block, exit_report),
                                         wakeup().own_name()});
}

// What two ranks must agree on to share memory. Equal sizes of the job do not suffice: rings of
// different length may take equal room, and the memory of another host may have the same size.
std::vector<std::byte> shared_memory_transport::address() const {
  const job_parameters mine{layout_.job_bytes(), layout_.most_slots(),
                            layout_.payloads().max_medium(), context_.job.host_id()};
  std::vector<std::byte> bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  return bytes;
}

seam::port* shared_memory_transport::connect(am_rank peer, std::span<const std::byte> address,
                                             std::string& why) {
  if (address.empty()) {
    why = base::format("rank {} does not use it", peer);
    return nullptr;
  }
  job_parameters theirs{};
  std::memcpy(&theirs, address.data(), std::min(sizeof theirs, address.size()));
  if (theirs.max_medium != layout_.payloads().max_medium()) {
    why = base::format("rank {} has AM_MAX_MEDIUM={} and this one {}: set it alike", peer,
                       theirs.max_medium, layout_.payloads().max_medium());
    return nullptr;
  }
  if (theirs.job_bytes != layout_.job_bytes() || theirs.most_slots != layout_.most_slots()) {
    why = base::format("rank {} has another layout of shared memory: set AM_SHM_SLOTS alike", peer);
    return nullptr;
  }
  if (theirs.host_id != context_.job.host_id()) {
    why = base::format("rank {} has another shared memory: it is on another host, or has no access",
                       peer);
    return nullptr;
  }
  if (reserve_channel(peer) != AM_OK) {
    why = base::error_text();
    return nullptr;
  }
  senders_[peer] = std::make_unique<request_sender>(context_, peer, layout_, memory_,
                                                    static_cast<poller&>(*this));
  add(*senders_[peer]);
  announce(peer);
  return senders_[peer].get();
}

am_status shared_memory_transport::reserve_channel(am_rank peer) noexcept {
  const std::size_t ring = layout_.start_ring_bytes();
  const am_status status = memory_.reserve(layout_.channel_at(context_.rank, peer), page + ring);
  return status != AM_OK ? status : memory_.reserve(layout_.replies_at(context_.rank, peer), ring);
}

// Enters this rank in the peer's list of new senders; the peer need not have joined yet.
void shared_memory_transport::announce(am_rank peer) noexcept {
  auto& block = object_at<control_block>(memory_, layout_.control_block_at(peer));
  auto& channel = object_at<channel_state>(memory_, layout_.channel_at(context_.rank, peer));
  std::uint32_t newest = block.new_senders.load(std::memory_order_relaxed);
  do {
    channel.next_new_sender = newest;
    // SYNC(arrival): with the acquire in accept_new_senders.
  } while (!block.new_senders.compare_exchange_weak(
      newest, context_.rank + 1, std::memory_order_release, std::memory_order_relaxed));
  signal_peer(block, new_senders_bit, wakeup());
}

void shared_memory_transport::accept_new_senders() noexcept {
  auto& block = object_at<control_block>(memory_, layout_.control_block_at(context_.rank));
  // SYNC(arrival): with the release in announce. The new senders' channels are ready.
  std::uint32_t newest = block.new_senders.exchange(0, std::memory_order_acquire);
  while (newest != 0) {
    const am_rank source = newest - 1;
    // A rank enters the list once, so a circle is found.
    if (source >= context_.ranks || receivers_[source] != nullptr)
      report_violation(context_.job, source,
                       "it is in the list of new senders {}, in a job of {} ranks",
                       source < context_.ranks ? "twice" : "and is no rank", context_.ranks);
    newest = object_at<channel_state>(memory_, layout_.channel_at(source, context_.rank))
                 .next_new_sender;
    receivers_[source] =
        std::make_unique<request_receiver>(context_, source, layout_, memory_, wakeup());
    add(*receivers_[source]);
  }
}

}  // namespace am::detail::shm
