// Active messages of 32 bytes and of any size with UCP alone: the ucx-am layer at both sides.
#pragma once

#include <calib/layers/ucx_link.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pieces.hpp>

#include <ucp/api/ucp.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace calib {

// Handlers only store what has arrived: replies are sent outside of them.
class ucx_messages {
 public:
  ucx_messages(ucx_address_slot& mine, const ucx_address_slot& other, unsigned windows)
      : windows_(windows) {
    handle<kind_post>();
    handle<kind_request>();
    handle<kind_reply>();
    handle<kind_number_sum>();
    handle<kind_leave>();
    link_.handle(
        kind_piece,
        [](void* self, const void*, std::size_t, void* data, std::size_t bytes,
           const ucp_am_recv_param_t* how) {
          return static_cast<ucx_messages*>(self)->on_piece_message(data, bytes, *how);
        },
        this);
    link_.connect(mine, other);
  }
  ucx_messages(const ucx_messages&) = delete;
  ucx_messages& operator=(const ucx_messages&) = delete;

  // Completes all sends first: an endpoint must not disappear while its peer sends.
  void close() {
    while (pending_ > 0) progress();
    link_.close();
  }

  // The limit of messages in flight.
  void set_window(unsigned window) { window_ = window; }

  // ---- requester ----

  void post() { send(kind_post, make_message(sent_++)); }
  void request_without_poll() {
    send(kind_request, make_message(sent_++));
    ++requested_;
  }
  void request() {
    request_without_poll();
    while (requested_ - replied_ >= window_) progress();
  }
  void receive_reply() { drain(); }
  void drain() {
    while (replied_ != requested_) progress();
  }
  void ping() {
    request_without_poll();
    drain();
  }
  [[nodiscard]] std::uint64_t window() const { return window_; }
  [[nodiscard]] std::uint64_t flood_length() const { return windows_ * window_; }
  [[nodiscard]] bool intact() const { return remote_total_ == sum_of_first(sent_); }

  void set_piece_bytes(std::size_t bytes) { piece_slots_.set(bytes); }
  void send_piece(const std::byte* data) {
    ++pieces_sent_;
    send(kind_piece, data, piece_slots_.bytes(), 0);
    while (pending_ >= std::min<std::size_t>(max_pieces, piece_slots_.count() / 2)) progress();
  }
  std::uint64_t wait_for_pieces() {
    send(kind_number_sum, {{pieces_sent_, 0, 0, 0}});
    ++requested_;
    drain();
    return remote_total_;
  }

  void leave() { send(kind_leave, {}); }

  // ---- responder ----

  // Until the requester leaves.
  void serve() {
    while (!leave_) {
      progress();
      for (; replies_due_ > 0; --replies_due_) send(kind_reply, {{total_, 0, 0, 0}});
      if (awaited_pieces_ != 0 && received_ == awaited_pieces_) {
        awaited_pieces_ = 0;
        send(kind_reply, {{number_sum_, 0, 0, 0}});
      }
    }
  }

 private:
  friend ucx_link;
  // The kind of a message is the number of its handler.
  enum kind : unsigned {
    kind_post,
    kind_request,
    kind_reply,
    kind_piece,
    kind_number_sum,
    kind_leave
  };

  void progress() { link_.progress(); }

  template <kind Kind>
  void handle() {
    link_.handle(
        Kind,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          message m;
          std::memcpy(&m, data, sizeof m);
          static_cast<ucx_messages*>(self)->on_message<Kind>(m);
          return UCS_OK;
        },
        this);
  }

  template <kind Kind>
  void on_message(const message& m) {
    if constexpr (Kind == kind_post || Kind == kind_request) total_ += sum(m);
    if constexpr (Kind == kind_request) ++replies_due_;
    if constexpr (Kind == kind_number_sum) awaited_pieces_ = m.words[0];
    if constexpr (Kind == kind_leave) leave_ = true;
    if constexpr (Kind == kind_reply) {
      remote_total_ = m.words[0];
      ++replied_;
    }
  }

  // A small piece arrives with its bytes; the bytes of a large one are fetched.
  ucs_status_t on_piece_message(void* data, std::size_t bytes, const ucp_am_recv_param_t& how) {
    if (bytes != piece_slots_.bytes()) piece_slots_.set(bytes);
    std::byte* const at = piece_slots_.next();
    if ((how.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      std::memcpy(at, data, bytes);
      on_fetched(at);
      return UCS_OK;
    }
    auto& one = rendezvous_[fetched_++ % rendezvous_.size()];
    one = {this, at};
    link_.fetch(data, one, bytes);
    return UCS_INPROGRESS;
  }
  void on_fetched(const std::byte* at) {
    number_sum_ += number_of(at);
    ++received_;
  }

  void send(kind what, const message& m) {
    // UCX may read the bytes while the send is pending.
    message& buffer = send_buffers_[next_++ % send_buffers_.size()];
    buffer = m;
    send(what, &buffer, sizeof buffer, UCP_AM_SEND_FLAG_EAGER);
    while (pending_ >= window_) progress();
  }
  void send(kind what, const void* data, std::size_t bytes, std::uint32_t flags) {
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = flags;
    param.user_data = this;
    param.cb.send = [](void* ended, ucs_status_t, void* self) {
      --static_cast<ucx_messages*>(self)->pending_;
      ucp_request_free(ended);
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
  std::array<message, 2048> send_buffers_{};
  std::uint64_t next_ = 0;
  unsigned pending_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t requested_ = 0;
  std::uint64_t replied_ = 0;
  std::uint64_t replies_due_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t remote_total_ = 0;  // from the last reply
  bool leave_ = false;

  static constexpr unsigned max_pieces = 32;
  // For pieces that are being fetched; the peer has at most max_pieces of them in flight.
  std::array<ucx_rendezvous<ucx_messages>, std::size_t{2} * max_pieces> rendezvous_{};
  std::uint64_t fetched_ = 0;
  piece_slots piece_slots_;
  std::uint64_t pieces_sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t awaited_pieces_ = 0;  // report the sum after this many pieces; 0: not requested
  std::uint64_t number_sum_ = 0;
};

}  // namespace calib
