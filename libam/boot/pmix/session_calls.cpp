// The calls of a session to its server.
#include <libam/base/error.hpp>
#include <libam/boot/pmix/session.hpp>
#include <libam/boot/pmix/with_timeout.hpp>

#include <unistd.h>

#include <future>
#include <memory>
#include <utility>

namespace am::detail::pmix {

am_status session::timeout_error(const char* stage) const {
  return base::fail(AM_PEER_LOST,
                    "{}: the PMIx server of host {} has not answered for {} s: is the launcher "
                    "stopped?",
                    stage, host_, answer_timeout.count());
}

am_status session::put(const std::string& key, std::span<const std::byte> value) {
  pmix_value_t holder;
  holder.type = PMIX_BYTE_OBJECT;
  holder.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(value.data()));
  holder.data.bo.size = value.size();
  const pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key.c_str(), &holder);  // copies it
  if (status == PMIX_SUCCESS) return AM_OK;
  return base::fail(AM_RESOURCE_MEMORY, "fence: PMIx_Put of {} bytes: {}", value.size(),
                    PMIx_Error_string(status));
}

am_status session::commit() {
  const auto status = call_with_timeout([] { return PMIx_Commit(); });
  if (!status) return timeout_error("fence");
  if (*status == PMIX_SUCCESS) return AM_OK;
  return base::fail(AM_PEER_LOST, "fence: PMIx_Commit: {}", PMIx_Error_string(*status));
}

namespace {

struct get_result {
  pmix_status_t status;
  std::vector<std::byte> value;
};

// PMIx may use it after the timeout, so on_get_done() deletes it.
struct get_request {
  pmix_proc_t owner;
  std::string key;
  pmix_info_t immediate;  // do not wait for a value that is not there
  std::promise<get_result> result;
};

// In PMIx's thread.
void on_get_done(pmix_status_t status, pmix_value_t* value, void* data) {
  const std::unique_ptr<get_request> request(static_cast<get_request*>(data));
  get_result got{status, {}};
  if (status == PMIX_SUCCESS && value != nullptr && value->type == PMIX_BYTE_OBJECT) {
    const auto* bytes = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
    got.value.assign(bytes, bytes + value->data.bo.size);
  }
  request->result.set_value(std::move(got));
}

}  // namespace

am_status session::get(am_rank rank, const std::string& key, std::vector<std::byte>& value,
                       bool& found) {
  auto request = std::make_unique<get_request>(get_request{self_, key, {}, {}});
  request->owner.rank = rank;
  const bool yes = true;
  PMIX_INFO_LOAD(&request->immediate, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
  auto result = request->result.get_future();
  get_result got{PMIx_Get_nb(&request->owner, request->key.c_str(), &request->immediate, 1,
                             &on_get_done, request.get()),
                 {}};
  if (got.status == PMIX_SUCCESS) {
    (void)request.release();
    if (result.wait_for(answer_timeout) != std::future_status::ready) return timeout_error("get");
    got = result.get();
  }
  found = got.status == PMIX_SUCCESS;
  value = std::move(got.value);
  if (found || got.status == PMIX_ERR_NOT_FOUND) return AM_OK;
  return base::fail(AM_PEER_LOST, "get: PMIx_Get of what rank {} has put: {}", rank,
                    PMIx_Error_string(got.status));
}

// ---- fences -------------------------------------------------------------------------------------

am_status session::start_fence() {
  fence_passed_ = false;
  const pmix_status_t status =
      PMIx_Fence_nb(&all_ranks_, 1, &fence_info_, 1, &session::on_fence_done, this);
  if (status == PMIX_OPERATION_SUCCEEDED) on_fence_done(PMIX_SUCCESS, this);  // PMIx will not
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return AM_OK;
  return base::fail(AM_PEER_LOST, "fence: PMIx_Fence: {}", PMIx_Error_string(status));
}

// In PMIx's thread.
void session::on_fence_done(pmix_status_t status, void* self) {
  auto& waiting = *static_cast<session*>(self);
  waiting.fence_status_ = status;
  // SYNC(pmix fence): with fence_done. The status is there.
  waiting.fence_passed_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!::write(waiting.event_fd_.get(), &one, sizeof one);
}

am_status session::fence_done(bool& complete) {
  std::uint64_t event_count = 0;  // an event of an earlier fence may be left
  (void)!::read(event_fd_.get(), &event_count, sizeof event_count);
  // SYNC(pmix fence): with on_fence_done.
  if (!fence_passed_.load(std::memory_order_acquire)) return AM_AGAIN_CONNECTING;
  complete = fence_status_ == PMIX_SUCCESS;
  if (complete || fence_status_ == PMIX_ERR_PARTIAL_SUCCESS) return AM_OK;
  return base::fail(AM_PEER_LOST, "fence: PMIx_Fence: {}", PMIx_Error_string(fence_status_));
}

}  // namespace am::detail::pmix
