// ucx-am: active messages of 32 bytes by UCP itself, over its shared-memory transports. What it
// costs to use UCX directly.
#include <calib/program/cpu.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

#include <ucp/api/ucp.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace calib;

void check(ucs_status_t status, const char* what) {
  if (status != UCS_OK) report::fault(std::string(what) + ": " + ucs_status_string(status));
}

// Where the two find each other's worker.
struct card {
  std::atomic<std::uint64_t> bytes;  // 0: not written yet
  char address[4096];
};

// A worker of UCP with one endpoint and one handler, which only sums: answers are sent outside.
class ucx_am {
 public:
  ucx_am(card& mine, card& other) {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM;
    check(ucp_init(&params, nullptr, &context_), "ucp_init");
    ucp_worker_params_t how{};
    how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    how.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context_, &how, &worker_), "ucp_worker_create");

    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.cb = [](void* self, const void*, std::size_t, void* data, std::size_t,
                    const ucp_am_recv_param_t*) {
      static_cast<ucx_am*>(self)->handle(data);
      return UCS_OK;
    };
    handler.arg = this;
    check(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
    connect(mine, other);
  }
  ucx_am(const ucx_am&) = delete;
  ucx_am& operator=(const ucx_am&) = delete;

  // Waits until UCX has nothing left: its endpoints must not vanish under each other.
  void close() {
    while (pending_ > 0) progress();
    const ucp_request_param_t param{};
    const ucs_status_ptr_t closing = ucp_ep_close_nbx(endpoint_, &param);
    if (UCS_PTR_IS_PTR(closing)) {
      while (ucp_request_check_status(closing) == UCS_INPROGRESS) progress();
      ucp_request_free(closing);
    }
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  // How many messages may be on their way.
  void set_window(unsigned window) { window_ = window; }

  // ---- asking ----

  void post() { send(numbered(sent_++)); }
  void ask() {
    post();
    ++asked_;
    while (asked_ - read_ >= window_) progress();
  }
  void drain() {
    while (read_ != asked_) progress();
  }
  void ping() {
    post();
    ++asked_;
    drain();
  }
  [[nodiscard]] std::uint64_t flood_length() const { return std::uint64_t{50} * window_; }
  [[nodiscard]] bool intact() const { return last_word_ == sum_of_first(sent_); }

  // ---- answering ----

  void serve_posts(std::uint64_t count) {
    served_ += count;
    while (read_ < served_) progress();
  }
  void serve_pings(std::uint64_t count) { serve_asks(count); }
  void serve_asks(std::uint64_t count) {
    const std::uint64_t end = served_ + count;
    while (served_ != end) {
      progress();
      for (; served_ != end && served_ < read_; ++served_) send({{total_, 0, 0, 0}});
    }
  }

 private:
  void connect(card& mine, card& other) {
    ucp_address_t* address = nullptr;
    std::size_t bytes = 0;
    check(ucp_worker_get_address(worker_, &address, &bytes), "ucp_worker_get_address");
    if (bytes > sizeof mine.address) report::fault("the address of a UCX worker is too long");
    std::memcpy(mine.address, address, bytes);
    mine.bytes.store(bytes, std::memory_order_release);
    ucp_worker_release_address(worker_, address);
    while (other.bytes.load(std::memory_order_acquire) == 0) relax();

    ucp_ep_params_t to{};
    to.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    to.address = reinterpret_cast<const ucp_address_t*>(other.address);
    check(ucp_ep_create(worker_, &to, &endpoint_), "ucp_ep_create");
  }

  void progress() { ucp_worker_progress(worker_); }

  void send(const message& m) {
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_AM_SEND_FLAG_EAGER;
    param.user_data = this;
    param.cb.send = [](void* request, ucs_status_t, void* self) {
      --static_cast<ucx_am*>(self)->pending_;
      ucp_request_free(request);
    };
    // As long as the send is pending UCX may look at the bytes.
    message& kept = kept_[next_++ % kept_.size()];
    kept = m;
    const ucs_status_ptr_t sent =
        ucp_am_send_nbx(endpoint_, 0, nullptr, 0, &kept, sizeof kept, &param);
    if (sent == nullptr) return;
    if (UCS_PTR_IS_ERR(sent)) check(UCS_PTR_STATUS(sent), "ucp_am_send_nbx");
    ++pending_;
    while (pending_ >= window_) progress();
  }

  void handle(const void* data) {
    message m;
    std::memcpy(&m, data, sizeof m);
    total_ += sum(m);
    last_word_ = m.words[0];
    ++read_;
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  unsigned window_ = 64;
  std::array<message, 2048> kept_{};
  std::uint64_t next_ = 0;
  unsigned pending_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t served_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t last_word_ = 0;
};

std::string version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  ucp_get_version(&major, &minor, &patch);
  return "UCX " + std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const char* transports = "posix,cma,self";
  ::setenv("UCX_TLS", transports, 1);
  report::note("version", version());
  report::note("UCX_TLS", transports);
  as_pair(2 * sizeof(card), [&](side mine, std::byte* memory) {
    auto* cards = reinterpret_cast<card*>(memory);
    const bool asking = mine == side::asking;
    ucx_am layer(cards[asking ? 0 : 1], cards[asking ? 1 : 0]);
    script play(mine, from);
    play.rtt(layer, "default");
    for (const unsigned window : {64U, 256U, 1024U}) {
      layer.set_window(window);
      const std::string name = "window=" + std::to_string(window);
      play.flood(layer, name);
      play.rr_flood(layer, name);
    }
    layer.close();
  });
}
