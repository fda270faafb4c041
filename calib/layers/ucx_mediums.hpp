// Messages of some size by UCP itself: active messages out of a ring of buffers. The handler reads
// what UCX has brought where it lies; what UCX only announces goes into a buffer first. Both ways a
// side lets UCX work after each send.
#pragma once

#include <calib/layers/ucx_link.hpp>
#include <calib/program/mediums.hpp>

#include <queue>
#include <vector>

namespace calib {

class ucx_mediums {
 public:
  ucx_mediums(ucx_card& mine, const ucx_card& other) {
    link_.handle(
        medium,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t* how) {
          return static_cast<ucx_mediums*>(self)->take(data, *how);
        },
        this);
    link_.handle(
        word,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          std::uint64_t come = 0;
          std::memcpy(&come, data, sizeof come);
          static_cast<ucx_mediums*>(self)->heard_.push(come);
          return UCS_OK;
        },
        this);
    link_.connect(mine, other);
  }
  ucx_mediums(const ucx_mediums&) = delete;
  ucx_mediums& operator=(const ucx_mediums&) = delete;

  void close() { link_.close(); }

  // How many may be under way, and whether UCX chooses how they travel.
  void set_way(unsigned window, bool eager) {
    sends_ = std::vector<send>(window, send{this, false});
    flags_ = eager ? UCP_AM_SEND_FLAG_EAGER : 0;
  }
  void set(const mediums& what) {
    what_ = what;
    out_.set(sends_.size(), what.bytes);
    in_.set(sends_.size(), what.bytes);
    arrivals_.resize(sends_.size());
    announced_ = 0;
  }

  // ---- asking ----

  void meet() {
    begin(what_.both_ways ? what_.count : 0);
    (void)hear();
  }
  void send_medium() {
    const std::size_t slot = next_ % sends_.size();
    while (sends_[slot].busy) link_.progress();
    pack(out_[slot], what_.bytes, next_++);
    begin_send(medium, out_[slot], what_.bytes, flags_, sends_[slot]);
    if (what_.both_ways) link_.progress();
  }
  void settle_mediums() {
    take_rest();
    sum_there_ = hear();
  }
  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = sum_of(what_, first_);
    return sum_there_ == sum && sum_ == (what_.both_ways ? sum : 0);
  }

  // ---- answering ----

  void serve_mediums() {
    begin(what_.count);
    say(0);
    if (what_.both_ways) {
      while (come_ == 0) link_.progress();
      for (std::uint64_t i = 0; i < what_.count; ++i) send_medium();
    } else {
      next_ += what_.count;
    }
    take_rest();
    say(sum_);
  }

 private:
  enum kind : unsigned { medium, word };
  struct send {
    ucx_mediums* of;
    bool busy;  // UCX may look at the bytes
  };
  // A message that UCX brings when it is asked to.
  struct arrival {
    ucx_mediums* of;
    const std::byte* at;
  };

  // A sample in which so many come.
  void begin(std::uint64_t coming) {
    first_ = next_;
    sum_ = come_ = 0;
    coming_ = coming;
  }
  void take_rest() {
    while (come_ < coming_) link_.progress();
    for (const send& one : sends_)
      while (one.busy) link_.progress();
  }

  void begin_send(kind what, const void* data, std::size_t bytes, std::uint32_t flags, send& by) {
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = flags;
    param.user_data = &by;
    param.cb.send = [](void* request, ucs_status_t status, void* ended) {
      check(status, "ucp_am_send_nbx");
      static_cast<send*>(ended)->busy = false;
      ucp_request_free(request);
    };
    const ucs_status_ptr_t begun =
        ucp_am_send_nbx(link_.endpoint(), what, nullptr, 0, data, bytes, &param);
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), "ucp_am_send_nbx");
    by.busy = begun != nullptr;
  }

  void read(const std::byte* at) {
    sum_ += unpack(at, what_.bytes);
    ++come_;
  }
  ucs_status_t take(void* data, const ucp_am_recv_param_t& how) {
    if ((how.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      read(static_cast<const std::byte*>(data));
      return UCS_OK;
    }
    bring(data);
    return UCS_INPROGRESS;
  }
  // As many may be announced at once as the other has under way, and its window is ours.
  void bring(void* announced) {
    const std::size_t slot = announced_++ % arrivals_.size();
    arrival& one = arrivals_[slot];
    one = {this, in_[slot]};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.user_data = &one;
    param.cb.recv_am = [](void* request, ucs_status_t status, std::size_t, void* come) {
      check(status, "ucp_am_recv_data_nbx");
      const arrival& whole = *static_cast<arrival*>(come);
      whole.of->read(whole.at);
      ucp_request_free(request);
    };
    const ucs_status_ptr_t begun =
        ucp_am_recv_data_nbx(link_.worker(), announced, in_[slot], what_.bytes, &param);
    if (UCS_PTR_IS_ERR(begun)) check(UCS_PTR_STATUS(begun), "ucp_am_recv_data_nbx");
    if (begun == nullptr) read(in_[slot]);
  }

  void say(std::uint64_t what) {
    said_ = what;
    send by{this, false};
    begin_send(word, &said_, sizeof said_, UCP_AM_SEND_FLAG_EAGER, by);
    while (by.busy) link_.progress();
  }
  std::uint64_t hear() {
    while (heard_.empty()) link_.progress();
    const std::uint64_t what = heard_.front();
    heard_.pop();
    return what;
  }

  ucx_link link_{UCP_FEATURE_AM};
  std::vector<send> sends_;
  buffers out_, in_;
  std::uint32_t flags_ = 0;
  std::vector<arrival> arrivals_;
  std::uint64_t announced_ = 0;
  mediums what_{};
  std::uint64_t first_ = 0;  // number of this sample
  std::uint64_t next_ = 0;
  std::uint64_t coming_ = 0;  // in this sample
  std::uint64_t come_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t sum_there_ = 0;
  std::uint64_t said_ = 0;
  std::queue<std::uint64_t> heard_;
};

}  // namespace calib
