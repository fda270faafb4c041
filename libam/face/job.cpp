// am.h: the job's key store.
#include <libam/face/guard.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using am::detail::core::endpoint;
using am::detail::face::guarded_at;
using am::detail::face::null_argument;
namespace base = am::detail::base;

namespace {

constexpr std::string_view prefix = "user.";  // keeps users' keys apart from libam's own
constexpr std::size_t most_key_bytes = am::detail::seam::most_key_bytes - prefix.size();

std::string user_key(std::string_view key) { return std::string(prefix).append(key); }

am_status check_key(const char* call, const char* key) {
  if (key == nullptr) return null_argument(call, "key", "a text");
  const std::size_t bytes = std::strlen(key);
  if (bytes != 0 && bytes <= most_key_bytes) return AM_OK;
  return base::fail(AM_ARGUMENT_SIZE, "{}: a key of {} bytes: it may have 1 to {}", call, bytes,
                    most_key_bytes);
}

am_status put(endpoint& self, const char* key, const void* data, size_t bytes) {
  if (!self.dispatcher().may_call()) return self.dispatcher().refuse("job_put");
  if (const am_status status = check_key("am_job_put", key); status != AM_OK) return status;
  if (data == nullptr && bytes != 0)
    return base::fail(AM_ARGUMENT_ADDRESS, "am_job_put: a blob of {} bytes at a null address (0x0)",
                      bytes);
  const am::detail::core::computation_break no_program(self.progress().current_wait());
  return self.membership().job->put(user_key(key), {static_cast<const std::byte*>(data), bytes});
}

am_status get(endpoint& self, am_rank rank, const char* key, void* data, size_t* bytes) {
  if (!self.dispatcher().may_call()) return self.dispatcher().refuse("job_get");
  if (rank >= self.peers().ranks())
    return base::fail(AM_ARGUMENT_RANK, "am_job_get of rank {}: this job has ranks 0 to {}", rank,
                      self.peers().ranks() - 1);
  if (const am_status status = check_key("am_job_get", key); status != AM_OK) return status;
  if (bytes == nullptr) return null_argument("am_job_get", "bytes", "the room's size");
  std::vector<std::byte> blob;
  const am_status status = self.membership().job->get(rank, user_key(key), blob);
  if (status == AM_ARGUMENT_SETTING)
    return base::fail(status,
                      "am_job_get: rank {} had not put \"{}\" before the last fence: am_job_put it "
                      "there, then am_job_fence on all ranks",
                      rank, key);
  if (status != AM_OK) return status;
  const size_t room = *bytes;
  *bytes = blob.size();
  if (blob.size() > room)
    return base::fail(
        AM_ARGUMENT_SIZE,
        "am_job_get: the blob \"{}\" of rank {} has {} bytes, and there is room for {}: "
        "call again with more room",
        key, rank, blob.size(), room);
  if (blob.empty()) return AM_OK;
  if (data == nullptr) return null_argument("am_job_get", "data", "the room");
  std::memcpy(data, blob.data(), blob.size());
  return AM_OK;
}

}  // namespace

extern "C" {

am_status am_job_put(am_ep* ep, const char* key, const void* data, size_t bytes) {
  return guarded_at(ep, [&](endpoint& self) { return put(self, key, data, bytes); });
}

am_status am_job_fence(am_ep* ep) {
  return guarded_at(ep, [](endpoint& self) { return self.fence_job(); });
}

am_status am_job_get(am_ep* ep, am_rank rank, const char* key, void* data, size_t* bytes) {
  return guarded_at(ep, [&](endpoint& self) { return get(self, rank, key, data, bytes); });
}

}  // extern "C"
