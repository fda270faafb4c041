// What a session asks of its server.
#include <libam/base/error.hpp>
#include <libam/boot/pmix/in_time.hpp>
#include <libam/boot/pmix/session.hpp>

#include <unistd.h>

#include <future>
#include <memory>
#include <utility>

namespace am::detail::pmix {

am_status session::no_answer(const char* stage) const {
  return base::fail(AM_PEER_LOST,
                    "{}: the PMIx server of host {} has not answered for {} s: is the launcher "
                    "stopped?",
                    stage, host_, answer_deadline.count());
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

am_status session::send() {
  const auto status = in_time([] { return PMIx_Commit(); });
  if (!status) return no_answer("fence");
  if (*status == PMIX_SUCCESS) return AM_OK;
  return base::fail(AM_PEER_LOST, "fence: PMIx_Commit: {}", PMIx_Error_string(*status));
}

namespace {

struct answer {
  pmix_status_t status;
  std::vector<std::byte> value;
};

// PMIx may look at it after our deadline, so it is take()'s to delete.
struct question {
  pmix_proc_t whose;
  std::string key;
  pmix_info_t at_once;  // what is not there yet must not be waited for
  std::promise<answer> answered;
};

// In PMIx's thread.
void take(pmix_status_t status, pmix_value_t* value, void* data) {
  const std::unique_ptr<question> asked(static_cast<question*>(data));
  answer got{status, {}};
  if (status == PMIX_SUCCESS && value != nullptr && value->type == PMIX_BYTE_OBJECT) {
    const auto* bytes = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
    got.value.assign(bytes, bytes + value->data.bo.size);
  }
  asked->answered.set_value(std::move(got));
}

}  // namespace

am_status session::get(am_rank rank, const std::string& key, std::vector<std::byte>& value,
                       bool& found) {
  auto asked = std::make_unique<question>(question{self_, key, {}, {}});
  asked->whose.rank = rank;
  const bool yes = true;
  PMIX_INFO_LOAD(&asked->at_once, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
  auto answered = asked->answered.get_future();
  answer got{PMIx_Get_nb(&asked->whose, asked->key.c_str(), &asked->at_once, 1, &take, asked.get()),
             {}};
  if (got.status == PMIX_SUCCESS) {
    (void)asked.release();
    if (answered.wait_for(answer_deadline) != std::future_status::ready) return no_answer("get");
    got = answered.get();
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
  const pmix_status_t status = PMIx_Fence_nb(&everybody_, 1, &with_blobs_, 1, &session::pass, this);
  if (status == PMIX_OPERATION_SUCCEEDED) pass(PMIX_SUCCESS, this);  // nobody else will
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return AM_OK;
  return base::fail(AM_PEER_LOST, "fence: PMIx_Fence: {}", PMIx_Error_string(status));
}

// In PMIx's thread.
void session::pass(pmix_status_t status, void* self) {
  auto& waiting = *static_cast<session*>(self);
  waiting.fence_status_ = status;
  // SYNC(pmix fence): with fence_done. The status is there.
  waiting.fence_passed_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!::write(waiting.news_.get(), &one, sizeof one);
}

am_status session::fence_done(bool& complete) {
  std::uint64_t rung = 0;  // that of an earlier fence may have come late
  (void)!::read(news_.get(), &rung, sizeof rung);
  // SYNC(pmix fence): with pass.
  if (!fence_passed_.load(std::memory_order_acquire)) return AM_AGAIN_CONNECTING;
  complete = fence_status_ == PMIX_SUCCESS;
  if (complete || fence_status_ == PMIX_ERR_PARTIAL_SUCCESS) return AM_OK;
  return base::fail(AM_PEER_LOST, "fence: PMIx_Fence: {}", PMIx_Error_string(fence_status_));
}

}  // namespace am::detail::pmix
