// A UCP worker with one endpoint to the worker of the other process, for the layers on UCX.
#pragma once

#include <calib/program/cpu.hpp>
#include <calib/program/report.hpp>

#include <ucp/api/ucp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace calib {

inline void check(ucs_status_t status, const char* what) {
  if (status != UCS_OK) report::fault(std::string(what) + ": " + ucs_status_string(status));
}

// An address in shared memory that one process writes once and the other waits for.
struct ucx_address_slot {
  std::atomic<std::uint64_t> bytes;  // 0: not written yet
  char text[4096];

  void write(const void* from, std::size_t size) {
    if (size > sizeof text) report::fault("an address of UCX is too long");
    std::memcpy(text, from, size);
    bytes.store(size, std::memory_order_release);  // acquired in await()
  }
  const char* await() const {
    while (bytes.load(std::memory_order_acquire) == 0) relax();
    return text;
  }
};

// A message that UCX has announced, and the place that it is fetched to.
template <class Layer>
struct ucx_rendezvous {
  Layer* of;
  std::byte* at;
};

class ucx_link {
 public:
  explicit ucx_link(std::uint64_t features) {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = features;
    check(ucp_init(&params, nullptr, &context_), "ucp_init");
    ucp_worker_params_t how{};
    how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    how.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context_, &how, &worker_), "ucp_worker_create");
  }
  ucx_link(const ucx_link&) = delete;
  ucx_link& operator=(const ucx_link&) = delete;

  // Before connect.
  void handle(unsigned id, ucp_am_recv_callback_t run, void* with) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = id;
    handler.cb = run;
    handler.arg = with;
    check(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
  }
  void connect(ucx_address_slot& mine, const ucx_address_slot& other) {
    ucp_address_t* address = nullptr;
    std::size_t bytes = 0;
    check(ucp_worker_get_address(worker_, &address, &bytes), "ucp_worker_get_address");
    mine.write(address, bytes);
    ucp_worker_release_address(worker_, address);
    ucp_ep_params_t to{};
    to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    to.address = reinterpret_cast<const ucp_address_t*>(other.await());
    check(ucp_ep_create(worker_, &to, &endpoint_), "ucp_ep_create");
  }

  void progress() { ucp_worker_progress(worker_); }
  [[nodiscard]] ucp_ep_h endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] ucp_context_h context() const noexcept { return context_; }

  // Waits for an operation that a call of UCX has begun.
  void finish(ucs_status_ptr_t begun, const char* what) {
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), what);
    if (!UCS_PTR_IS_PTR(begun)) return;
    while (ucp_request_check_status(begun) == UCS_INPROGRESS) progress();
    ucp_request_free(begun);
  }

  // Lets the operation complete without a wait.
  static void forget(ucs_status_ptr_t begun, const char* what) {
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), what);
    if (UCS_PTR_IS_PTR(begun)) ucp_request_free(begun);
  }

  // Fetches an announced message of this many bytes; then calls on_fetched of its layer with `at`.
  template <class Layer>
  void fetch(void* announced, ucx_rendezvous<Layer>& by, std::size_t bytes) {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.user_data = &by;
    param.cb.recv_am = [](void* ended, ucs_status_t status, std::size_t, void* fetched) {
      check(status, "ucp_am_recv_data_nbx");
      const auto& complete = *static_cast<ucx_rendezvous<Layer>*>(fetched);
      complete.of->on_fetched(complete.at);
      ucp_request_free(ended);
    };
    const ucs_status_ptr_t begun = ucp_am_recv_data_nbx(worker_, announced, by.at, bytes, &param);
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), "ucp_am_recv_data_nbx");
    if (begun == nullptr) by.of->on_fetched(by.at);
  }

  // Collective in effect: closing an endpoint needs the worker of the peer.
  void close() {
    const ucp_request_param_t param{};
    finish(ucp_ep_close_nbx(endpoint_, &param), "ucp_ep_close_nbx");
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

 private:
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
};

}  // namespace calib
