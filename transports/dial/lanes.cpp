#include <transports/dial/lanes.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/process_state.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace am::detail::dial {

namespace {

constexpr const char* key = "dial.lanes";

// The memory of a rank, as the others find it.
struct place {
  std::int32_t pid;
  std::int32_t descriptor;
  std::uint64_t pid_namespace;  // in which that is its pid; 0: unknown
};

std::size_t bytes_for(am_rank ranks) noexcept {
  return std::size_t{ranks} * lane_entries * sizeof(lane_entry);
}

}  // namespace

lane_entry* lanes::lane_of(const base::shared_memory& memory, am_rank from) noexcept {
  return reinterpret_cast<lane_entry*>(memory.data()) + std::size_t{from} * lane_entries;
}

am_status lanes::make(const seam::transport_context& context) {
  others_.resize(context.ranks);
  writers_.resize(context.ranks);
  const std::size_t bytes = bytes_for(context.ranks);
  base::fd fresh;
  am_status status = base::shared_memory::create(fresh, context.settings.shm_dir);
  const place here{::getpid(), fresh.get(), base::pid_namespace()};
  if (status == AM_OK) status = own_.map(std::move(fresh), bytes);
  if (status == AM_OK) status = own_.reserve(0, bytes);
  if (status != AM_OK) return status;
  return context.job.put(key, std::as_bytes(std::span(&here, 1)));
}

am_status lanes::open(const seam::transport_context& context, am_rank rank) {
  if (writers_[rank].exists()) return AM_OK;
  std::vector<std::byte> blob;
  place there{};
  am_status status = context.job.get(rank, key, blob);
  if (status != AM_OK) return status;
  std::memcpy(&there, blob.data(), std::min(blob.size(), sizeof there));
  if (there.pid_namespace != base::pid_namespace())
    return base::fail(AM_ARGUMENT_SETTING,
                      "AM_DIAL: rank {} is in another namespace of processes, where this rank "
                      "cannot map its lanes",
                      rank);
  const std::string path = base::format("/proc/{}/fd/{}", there.pid, there.descriptor);
  base::fd memory(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const int why = errno;
  if (!memory.valid() && (why == ENOENT || why == ESRCH || base::is_gone(there.pid)))
    return base::fail(AM_PEER_DEAD, "AM_DIAL: the lane to rank {}: its process has ended", rank);
  if (!memory.valid())
    return base::fail(AM_ARGUMENT_SETTING, "AM_DIAL: the lane to rank {}: {}: {}", rank, path,
                      base::errno_text(why));
  status = others_[rank].map(std::move(memory), bytes_for(context.ranks));
  if (status == AM_OK) writers_[rank] = lane_writer(lane_of(others_[rank], context.rank));
  return status;
}

}  // namespace am::detail::dial
