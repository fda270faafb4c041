// Messages of some size with UCP alone: active messages from a ring of buffers. The handler reads
// an eager message in place; a rendezvous message is fetched into a buffer first. If bidirectional,
// a side calls the progress of UCX after each send.
#pragma once

#include <calib/layers/medium_sides.hpp>
#include <calib/layers/ucx_link.hpp>

#include <queue>
#include <vector>

namespace calib {

class ucx_mediums : public medium_sides<ucx_mediums> {
 public:
  ucx_mediums(ucx_address_slot& mine, const ucx_address_slot& other) {
    link_.handle(
        medium,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t* how) {
          return static_cast<ucx_mediums*>(self)->on_medium(data, *how);
        },
        this);
    link_.handle(
        word,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          std::uint64_t received = 0;
          std::memcpy(&received, data, sizeof received);
          static_cast<ucx_mediums*>(self)->words_.push(received);
          return UCS_OK;
        },
        this);
    link_.connect(mine, other);
  }
  ucx_mediums(const ucx_mediums&) = delete;
  ucx_mediums& operator=(const ucx_mediums&) = delete;

  void close() { link_.close(); }

  // The messages in flight, and whether all are eager or UCX chooses the protocol.
  void configure(unsigned window, bool eager) {
    sends_ = std::vector<send>(window, send{this, false});
    flags_ = eager ? UCP_AM_SEND_FLAG_EAGER : 0;
  }
  void set(const medium_spec& what) {
    what_ = what;
    out_.set(sends_.size(), what.bytes);
    in_.set(sends_.size(), what.bytes);
    rendezvous_.resize(sends_.size());
    announced_ = 0;
  }

  void send_medium() {
    const std::size_t slot = next_ % sends_.size();
    while (sends_[slot].busy) link_.progress();
    pack(out_[slot], what_.bytes, next_++);
    begin_send(medium, out_[slot], what_.bytes, flags_, sends_[slot]);
    if (what_.bidirectional) link_.progress();
  }

 private:
  friend medium_sides<ucx_mediums>;
  friend ucx_link;

  enum kind : unsigned { medium, word };
  struct send {
    ucx_mediums* of;
    bool busy;  // UCX may read the bytes
  };
  static void post_receives() {}
  void wait_for_first() {
    while (received_ == 0) link_.progress();
  }
  void finish() {
    while (received_ < expected_) link_.progress();
    for (const send& one : sends_)
      while (one.busy) link_.progress();
  }

  void begin_send(kind what, const void* data, std::size_t bytes, std::uint32_t flags, send& by) {
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = flags;
    param.user_data = &by;
    param.cb.send = [](void* ended, ucs_status_t status, void* sent) {
      check(status, "ucp_am_send_nbx");
      static_cast<send*>(sent)->busy = false;
      ucp_request_free(ended);
    };
    const ucs_status_ptr_t begun =
        ucp_am_send_nbx(link_.endpoint(), what, nullptr, 0, data, bytes, &param);
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), "ucp_am_send_nbx");
    by.busy = begun != nullptr;
  }

  ucs_status_t on_medium(void* data, const ucp_am_recv_param_t& how) {
    if ((how.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      read(static_cast<const std::byte*>(data));
      return UCS_OK;
    }
    // At most one window is announced at once, and both sides have the same window.
    const std::size_t slot = announced_++ % rendezvous_.size();
    rendezvous_[slot] = {this, in_[slot]};
    link_.fetch(data, rendezvous_[slot], what_.bytes);
    return UCS_INPROGRESS;
  }
  void on_fetched(const std::byte* at) { read(at); }

  void send_word(std::uint64_t what) {
    sent_word_ = what;
    send by{this, false};
    begin_send(word, &sent_word_, sizeof sent_word_, UCP_AM_SEND_FLAG_EAGER, by);
    while (by.busy) link_.progress();
  }
  std::uint64_t receive_word() {
    while (words_.empty()) link_.progress();
    const std::uint64_t what = words_.front();
    words_.pop();
    return what;
  }

  ucx_link link_{UCP_FEATURE_AM};
  std::vector<send> sends_;
  message_buffers out_, in_;
  std::uint32_t flags_ = 0;
  std::vector<ucx_rendezvous<ucx_mediums>> rendezvous_;
  std::uint64_t announced_ = 0;
  std::uint64_t sent_word_ = 0;
  std::queue<std::uint64_t> words_;
};

}  // namespace calib
