#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/process_state.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <transports/shm/accuse.hpp>
#include <transports/shm/door.hpp>
#include <transports/shm/places.hpp>
#include <transports/shm/shm.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace am::detail::shm {

std::unique_ptr<seam::transport> make(const seam::host& host, std::string& why) {
  const layout places(host.ranks, host.settings.shm_slots,
                      wire::payload_sizes(host.settings.max_medium));
  base::shared_memory memory;
  am_status status = host.job.share_memory(places.job_bytes(), places.file_bytes(), memory);
  if (status == AM_OK) status = memory.reserve(places.doorstep_at(0), page);
  if (status == AM_OK)
    status = memory.reserve(places.doorstep_at(host.rank), page + places.directory_bytes());
  if (status != AM_OK) {
    why = base::error_text();
    // Whatever serves instead is much slower, and only the user can mend it.
    if (status == AM_RESOURCE_SPACE && host.rank == 0)
      base::log(base::log_level::warn, "shm is not used: {}", why);
    return nullptr;
  }
  return std::make_unique<shared_memory_transport>(host, std::move(memory), places);
}

namespace {

// The first to come gives the memory its name.
std::uint64_t name_memory(std::atomic<std::uint64_t>& name) noexcept {
  std::uint64_t found = 0;
  const std::uint64_t mine = base::random_word() | 1U;
  return name.compare_exchange_strong(found, mine, std::memory_order_relaxed) ? mine : found;
}

}  // namespace

shared_memory_transport::shared_memory_transport(const seam::host& host, base::shared_memory memory,
                                                 const layout& places)
    : poller(object_at<doorstep>(memory, places.doorstep_at(host.rank)), host.ranks,
             base::bell(host.job.bell_socket())),
      host_(host),
      memory_(std::move(memory)),
      places_(places),
      segments_(memory_, places_, host.rank),
      memory_name_(name_memory(object_at<doorstep>(memory_, places_.doorstep_at(0)).memory)),
      token_(base::random_word()),
      outgoing_(host.ranks),
      incoming_(host.ranks),
      dead_(host.ranks) {
  auto& door = object_at<doorstep>(memory_, places_.doorstep_at(host.rank));
  door.pid = ::getpid();
  door.pid_namespace = base::pid_namespace();
  door.token = token_;
  door.token_at = reinterpret_cast<std::uintptr_t>(&token_);
  const std::size_t at = places_.doorstep_at(host.rank);
  host.job.watch_for_deaths({at + offsetof(doorstep, attention), deaths_bit,
                             at + offsetof(doorstep, obituary), bell().own_name()});
}

// What two ranks must agree on to share memory, and that they do: rings of different length may
// take equal room, and a rank of another host has a memory that looks the same.
std::vector<std::byte> shared_memory_transport::address() const {
  const agreement mine{places_.job_bytes(), places_.most_slots(), places_.payloads().max_medium(),
                       memory_name_};
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
  agreement theirs{};
  std::memcpy(&theirs, address.data(), std::min(sizeof theirs, address.size()));
  if (theirs.max_medium != places_.payloads().max_medium()) {
    why = base::format("rank {} has AM_MAX_MEDIUM={} and this one {}: set it alike", peer,
                       theirs.max_medium, places_.payloads().max_medium());
    return nullptr;
  }
  if (theirs.job_bytes != places_.job_bytes() || theirs.most_slots != places_.most_slots()) {
    why =
        base::format("rank {} lays shared memory out in another way: set AM_SHM_SLOTS alike", peer);
    return nullptr;
  }
  if (theirs.memory_name != memory_name_) {
    why = base::format("rank {} has another memory: it is on another host, or was shut out", peer);
    return nullptr;
  }
  if (reserve_channel(peer) != AM_OK) {
    why = base::error_text();
    return nullptr;
  }
  outgoing_[peer] =
      std::make_unique<outgoing>(host_, peer, places_, memory_, static_cast<poller&>(*this));
  add(*outgoing_[peer]);
  announce(peer);
  return outgoing_[peer].get();
}

am_status shared_memory_transport::reserve_channel(am_rank peer) noexcept {
  const std::size_t ring = places_.start_ring_bytes();
  const am_status status = memory_.reserve(places_.lines_at(host_.rank, peer), page + ring);
  return status != AM_OK ? status : memory_.reserve(places_.replies_at(host_.rank, peer), ring);
}

// Puts this rank on the peer's list of arrivals; the peer need not be there for it.
void shared_memory_transport::announce(am_rank peer) noexcept {
  auto& door = object_at<doorstep>(memory_, places_.doorstep_at(peer));
  auto& lines = object_at<channel_lines>(memory_, places_.lines_at(host_.rank, peer));
  std::uint32_t newest = door.arrivals.load(std::memory_order_relaxed);
  do {
    lines.next_arrival = newest;
    // SYNC(arrival): with the acquire in welcome_arrivals.
  } while (!door.arrivals.compare_exchange_weak(newest, host_.rank + 1, std::memory_order_release,
                                                std::memory_order_relaxed));
  knock(door, arrivals_bit, bell());
}

void shared_memory_transport::welcome_arrivals() noexcept {
  auto& door = object_at<doorstep>(memory_, places_.doorstep_at(host_.rank));
  // SYNC(arrival): with the release in announce. The newcomers' channels are laid out.
  std::uint32_t newest = door.arrivals.exchange(0, std::memory_order_acquire);
  while (newest != 0) {
    const am_rank source = newest - 1;
    // A rank arrives once, so the list has an end even if it goes round in a circle.
    if (source >= host_.ranks || incoming_[source] != nullptr)
      accuse(host_.job, source, "it has arrived {}, in a job of {} ranks",
             source < host_.ranks ? "twice" : "from nowhere", host_.ranks);
    newest = object_at<channel_lines>(memory_, places_.lines_at(source, host_.rank)).next_arrival;
    incoming_[source] = std::make_unique<incoming>(host_, source, places_, memory_, bell());
    add(*incoming_[source]);
  }
}

}  // namespace am::detail::shm
