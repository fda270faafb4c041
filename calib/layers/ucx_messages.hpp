// Active messages of 32 bytes, and of any size, by UCP itself: what the ucx-am layer does with them
// at both sides.
#pragma once

#include <calib/layers/ucx_link.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pieces.hpp>

#include <ucp/api/ucp.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace calib {

// Handlers only take what has come: answers are sent outside.
class ucx_messages {
 public:
  ucx_messages(ucx_card& mine, const ucx_card& other, unsigned windows) : windows_(windows) {
    handle<posted>();
    handle<asked>();
    handle<answer>();
    handle<counted>();
    handle<last>();
    link_.handle(
        piece,
        [](void* self, const void*, std::size_t, void* data, std::size_t bytes,
           const ucp_am_recv_param_t* how) {
          return static_cast<ucx_messages*>(self)->take_piece(data, bytes, *how);
        },
        this);
    link_.connect(mine, other);
  }
  ucx_messages(const ucx_messages&) = delete;
  ucx_messages& operator=(const ucx_messages&) = delete;

  // Waits until UCX has nothing left: its endpoints must not vanish under each other.
  void close() {
    while (pending_ > 0) progress();
    link_.close();
  }

  // How many messages may be on their way.
  void set_window(unsigned window) { window_ = window; }

  // ---- asking ----

  void post() { send(posted, numbered(sent_++)); }
  void ask_blind() {
    send(asked, numbered(sent_++));
    ++asked_;
  }
  void ask() {
    ask_blind();
    while (asked_ - answered_ >= window_) progress();
  }
  void take() { drain(); }
  void drain() {
    while (answered_ != asked_) progress();
  }
  void ping() {
    ask_blind();
    drain();
  }
  [[nodiscard]] std::uint64_t window() const { return window_; }
  [[nodiscard]] std::uint64_t flood_length() const { return windows_ * window_; }
  [[nodiscard]] bool intact() const { return told_ == sum_of_first(sent_); }

  void prepare(std::size_t bytes) { places_.set(bytes); }
  void ship(const std::byte* data) {
    ++shipped_;
    send(piece, data, places_.bytes(), 0);
    while (pending_ >= std::min<std::size_t>(most_pieces, places_.count() / 2)) progress();
  }
  std::uint64_t settle_shipped() {
    send(counted, {{shipped_, 0, 0, 0}});
    ++asked_;
    drain();
    return told_;
  }

  void leave() { send(last, {}); }

  // ---- answering ----

  // Until the other leaves.
  void serve() {
    while (!leave_) {
      progress();
      for (; owed_ > 0; --owed_) send(answer, {{total_, 0, 0, 0}});
      if (wanted_ != 0 && arrived_ == wanted_) {
        wanted_ = 0;
        send(answer, {{numbers_, 0, 0, 0}});
      }
    }
  }

 private:
  // What a message is, by the number of its handler.
  enum kind : unsigned { posted, asked, answer, piece, counted, last };

  void progress() { link_.progress(); }

  template <kind Kind>
  void handle() {
    link_.handle(
        Kind,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          message m;
          std::memcpy(&m, data, sizeof m);
          static_cast<ucx_messages*>(self)->take<Kind>(m);
          return UCS_OK;
        },
        this);
  }

  template <kind Kind>
  void take(const message& m) {
    if constexpr (Kind == posted || Kind == asked) total_ += sum(m);
    if constexpr (Kind == asked) ++owed_;
    if constexpr (Kind == counted) wanted_ = m.words[0];
    if constexpr (Kind == last) leave_ = true;
    if constexpr (Kind == answer) {
      told_ = m.words[0];
      ++answered_;
    }
  }

  // UCX has the bytes of a small piece; those of a large one it brings.
  ucs_status_t take_piece(void* data, std::size_t bytes, const ucp_am_recv_param_t& how) {
    if (bytes != places_.bytes()) places_.set(bytes);
    std::byte* const at = places_.next();
    if ((how.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      std::memcpy(at, data, bytes);
      arrive(at);
      return UCS_OK;
    }
    bring(data, at, bytes);
    return UCS_INPROGRESS;
  }
  void bring(void* announced, std::byte* at, std::size_t bytes) {
    arrival& one = arrivals_[brought_++ % arrivals_.size()];
    one = {this, at};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.user_data = &one;
    param.cb.recv_am = [](void* request, ucs_status_t status, std::size_t, void* here) {
      check(status, "ucp_am_recv_data_nbx");
      const arrival& come = *static_cast<arrival*>(here);
      come.of->arrive(come.at);
      ucp_request_free(request);
    };
    const ucs_status_ptr_t begun =
        ucp_am_recv_data_nbx(link_.worker(), announced, at, bytes, &param);
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), "ucp_am_recv_data_nbx");
    if (begun == nullptr) arrive(at);
  }
  void arrive(const std::byte* at) {
    numbers_ += number_of(at);
    ++arrived_;
  }

  void send(kind what, const message& m) {
    // As long as the send is pending UCX may look at the bytes.
    message& kept = kept_[next_++ % kept_.size()];
    kept = m;
    send(what, &kept, sizeof kept, UCP_AM_SEND_FLAG_EAGER);
    while (pending_ >= window_) progress();
  }
  void send(kind what, const void* data, std::size_t bytes, std::uint32_t flags) {
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = flags;
    param.user_data = this;
    param.cb.send = [](void* request, ucs_status_t, void* self) {
      --static_cast<ucx_messages*>(self)->pending_;
      ucp_request_free(request);
    };
    const ucs_status_ptr_t sent =
        ucp_am_send_nbx(link_.endpoint(), what, nullptr, 0, data, bytes, &param);
    if (sent == nullptr) return;
    if (UCS_PTR_IS_ERR(sent)) check(UCS_PTR_STATUS(sent), "ucp_am_send_nbx");
    ++pending_;
  }

  ucx_link link_{UCP_FEATURE_AM};
  unsigned window_ = 64;
  std::uint64_t windows_;  // in a flood
  std::array<message, 2048> kept_{};
  std::uint64_t next_ = 0;
  unsigned pending_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t owed_ = 0;  // answers
  std::uint64_t total_ = 0;
  std::uint64_t told_ = 0;  // by the last answer
  bool leave_ = false;

  // A piece that UCX brings; the other has at most most_pieces of them on their way.
  struct arrival {
    ucx_messages* of;
    const std::byte* at;
  };
  static constexpr unsigned most_pieces = 32;
  std::array<arrival, std::size_t{2} * most_pieces> arrivals_{};
  std::uint64_t brought_ = 0;
  places places_;
  std::uint64_t shipped_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t wanted_ = 0;  // tell the numbers when so many have arrived; 0: nobody asks
  std::uint64_t numbers_ = 0;
};

}  // namespace calib
