// am.h: the job's blackboard.
#include <libam/base/error.hpp>
#include <libam/core/convert.hpp>

#include <cstring>
#include <new>
#include <string>

using am::detail::core::of;
namespace base = am::detail::base;

namespace {

// Keys of users and of libam itself never meet.
std::string users(const char* key) { return std::string("user.") + key; }

am_status out_of_memory() { return base::fail_with(AM_RESOURCE_MEMORY, "out of memory"); }

}  // namespace

extern "C" {

am_status am_job_put(am_ep* ep, const char* key, const void* data, size_t bytes) {
  if (!of(ep).in_order()) return of(ep).refuse("job_put");
  try {
    return of(ep).job().put(users(key), {static_cast<const std::byte*>(data), bytes});
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

am_status am_job_fence(am_ep* ep) {
  try {
    return of(ep).job_fence();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

am_status am_job_get(am_ep* ep, am_rank rank, const char* key, void* data, size_t* bytes) {
  if (!of(ep).in_order()) return of(ep).refuse("job_get");
  if (rank >= of(ep).ranks())
    return base::fail(AM_ARGUMENT_RANK, "am_job_get of rank {}: this job has ranks 0 to {}", rank,
                      of(ep).ranks() - 1);
  try {
    std::vector<std::byte> blob;
    if (const am_status status = of(ep).job().get(rank, users(key), blob); status != AM_OK)
      return status;
    const size_t room = *bytes;
    *bytes = blob.size();
    if (blob.size() > room)
      return base::fail(AM_ARGUMENT_SIZE, "the blob \"{}\" of rank {} has {} bytes, room for {}",
                        key, rank, blob.size(), room);
    if (!blob.empty()) std::memcpy(data, blob.data(), blob.size());
    return AM_OK;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // extern "C"
