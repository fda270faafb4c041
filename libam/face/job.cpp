// am.h: the job's blackboard.
#include <libam/face/guard.hpp>

#include <cstring>
#include <string>
#include <vector>

using am::detail::core::endpoint;
using am::detail::face::guarded_at;
namespace base = am::detail::base;

namespace {

// Keys of users and of libam itself never meet.
std::string users(const char* key) { return std::string("user.") + key; }

am_status get(endpoint& self, am_rank rank, const char* key, void* data, size_t* bytes) {
  if (!self.in_order()) return self.refuse("job_get");
  if (rank >= self.ranks())
    return base::fail(AM_ARGUMENT_RANK, "am_job_get of rank {}: this job has ranks 0 to {}", rank,
                      self.ranks() - 1);
  std::vector<std::byte> blob;
  if (const am_status status = self.job().get(rank, users(key), blob); status != AM_OK)
    return status;
  const size_t room = *bytes;
  *bytes = blob.size();
  if (blob.size() > room)
    return base::fail(AM_ARGUMENT_SIZE, "the blob \"{}\" of rank {} has {} bytes, room for {}", key,
                      rank, blob.size(), room);
  if (!blob.empty()) std::memcpy(data, blob.data(), blob.size());
  return AM_OK;
}

}  // namespace

extern "C" {

am_status am_job_put(am_ep* ep, const char* key, const void* data, size_t bytes) {
  return guarded_at(ep, [&](endpoint& self) {
    if (!self.in_order()) return self.refuse("job_put");
    return self.job().put(users(key), {static_cast<const std::byte*>(data), bytes});
  });
}

am_status am_job_fence(am_ep* ep) {
  return guarded_at(ep, [](endpoint& self) { return self.job_fence(); });
}

am_status am_job_get(am_ep* ep, am_rank rank, const char* key, void* data, size_t* bytes) {
  return guarded_at(ep, [&](endpoint& self) { return get(self, rank, key, data, bytes); });
}

}  // extern "C"
