// ucx-am: active messages of 32 bytes by UCP itself, over those of its transports that UCX_TLS
// names. What it costs to use UCX directly.
#include <calib/layers/ucx_bulk.hpp>
#include <calib/layers/ucx_link.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

#include <ucp/api/ucp.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace calib;

// One handler, which only sums: answers are sent outside.
class ucx_am {
 public:
  ucx_am(ucx_card& mine, const ucx_card& other, unsigned windows) : windows_(windows) {
    link_.handle(
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          static_cast<ucx_am*>(self)->handle(data);
          return UCS_OK;
        },
        this);
    link_.connect(mine, other);
  }

  // Waits until UCX has nothing left: its endpoints must not vanish under each other.
  void close() {
    while (pending_ > 0) progress();
    link_.close();
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
  [[nodiscard]] std::uint64_t flood_length() const { return windows_ * window_; }
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
  void progress() { link_.progress(); }

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
        ucp_am_send_nbx(link_.endpoint(), 0, nullptr, 0, &kept, sizeof kept, &param);
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

  ucx_link link_{UCP_FEATURE_AM};
  unsigned window_ = 64;
  std::uint64_t windows_;  // in a flood
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

void measure_small(script& play, ucx_card& mine, const ucx_card& other, unsigned windows) {
  ucx_am layer(mine, other, windows);
  play.rtt(layer, "default");
  for (const unsigned window : {64U, 256U, 1024U}) {
    layer.set_window(window);
    const std::string name = "window=" + std::to_string(window);
    play.flood(layer, name);
    play.rr_flood(layer, name);
  }
  layer.close();
}

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  report::note("version", version());
  const char* transports = std::getenv("UCX_TLS");
  report::note("UCX_TLS", transports != nullptr ? transports : "any");
  // Each side has a card for small messages, one for bulk data, one for its memory.
  as_pair(6 * sizeof(ucx_card), [&](side mine, std::byte* memory) {
    auto* own = reinterpret_cast<ucx_card*>(memory) + (mine == side::asking ? 0 : 3);
    auto* other = reinterpret_cast<ucx_card*>(memory) + (mine == side::asking ? 3 : 0);
    script play(mine, from);
    measure_small(play, own[0], other[0], from.windows);
    if (const std::size_t room = room_for(from.bytes); room > 0) {
      ucx_bulk layer(own + 1, other + 1, room);
      const std::pair<unsigned, const char*> windows[] = {{1, "window=1"}, {32, "window=32"}};
      for (const auto& [window, name] : windows) {
        layer.set_window(window);
        play.get_bulk(layer, name);
      }
      for (const auto& [window, name] : windows) {
        layer.set_window(window);
        play.store_bulk(layer, name);
      }
      layer.close();
    }
  });
}
