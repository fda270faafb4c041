// Bulk data by UCP, into and out of memory that UCX has allocated: a store is a put, a flush, and
// then an active message that says so; a get is a get. Both as many at a time as the window says.
#pragma once

#include <calib/layers/ucx_link.hpp>
#include <calib/program/script.hpp>

#include <array>
#include <queue>
#include <utility>
#include <vector>

namespace calib {

class ucx_bulk {
 public:
  // Two cards each: where the worker is, and where its memory.
  ucx_bulk(ucx_card* mine, const ucx_card* other, std::size_t room) : own_(room) {
    link_.handle(
        0,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          std::uint64_t word = 0;
          std::memcpy(&word, data, sizeof word);
          static_cast<ucx_bulk*>(self)->hear(word);
          return UCS_OK;
        },
        this);
    link_.connect(mine[0], other[0]);
    offer_memory(mine[1], room);
    find_memory(other[1]);
  }
  ucx_bulk(const ucx_bulk&) = delete;
  ucx_bulk& operator=(const ucx_bulk&) = delete;

  // After the other has said that it needs this memory no more.
  void close() {
    ucp_rkey_destroy(key_);
    say(0);
    listen();
    check(ucp_mem_unmap(link_.context(), region_), "ucp_mem_unmap");
    link_.close();
  }

  void set_window(unsigned window) noexcept { window_ = window; }
  void set(const bulk& what) noexcept { what_ = what; }
  cargo& memory() noexcept { return own_; }

  // ---- asking ----

  void store(std::uint64_t n) {
    begun_.push_back(
        ucp_put_nbx(link_.endpoint(), own_.piece(what_, n), what_.bytes, there(n), key_, &quiet_));
    ++last_;
    if (begun_.size() == window_) finish_puts();
  }
  std::uint64_t settle_stores() {
    finish_puts();
    last_ = 0;
    return listen();
  }
  void get(std::uint64_t n) {
    begun_.push_back(
        ucp_get_nbx(link_.endpoint(), own_.piece(what_, n), what_.bytes, there(n), key_, &quiet_));
    ++last_;
    if (begun_.size() == window_) finish_gets();
  }
  std::uint64_t settle_gets() {
    finish_gets();
    last_ = 0;
    say(0);
    return std::exchange(tallies_, 0);
  }

  // ---- answering ----

  void serve_stores() {
    expected_ = what_.count();
    // The other may have begun while this side was still about the sample before.
    for (; !heard_.empty(); heard_.pop()) arrive(heard_.front());
    while (expected_ > 0) link_.progress();
    say(std::exchange(tallies_, 0));
  }
  void serve_gets() { listen(); }

 private:
  void offer_memory(ucx_card& card, std::size_t room) {
    ucp_mem_map_params_t how{};
    how.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    how.length = room;
    how.flags = UCP_MEM_MAP_ALLOCATE;
    check(ucp_mem_map(link_.context(), &how, &region_), "ucp_mem_map");
    ucp_mem_attr_t found{};
    found.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    check(ucp_mem_query(region_, &found), "ucp_mem_query");
    memory_ = static_cast<std::byte*>(found.address);
    number_lines(memory_, room);

    void* key = nullptr;
    std::size_t bytes = 0;
    check(ucp_rkey_pack(link_.context(), region_, &key, &bytes), "ucp_rkey_pack");
    std::vector<char> text(sizeof memory_ + bytes);
    std::memcpy(text.data(), &memory_, sizeof memory_);
    std::memcpy(text.data() + sizeof memory_, key, bytes);
    ucp_rkey_buffer_release(key);
    card.write(text.data(), text.size());
  }
  void find_memory(const ucx_card& card) {
    const char* text = card.await();
    std::memcpy(&theirs_, text, sizeof theirs_);
    check(ucp_ep_rkey_unpack(link_.endpoint(), text + sizeof theirs_, &key_), "ucp_ep_rkey_unpack");
  }

  [[nodiscard]] std::uint64_t there(std::uint64_t n) const noexcept {
    return theirs_ + n * what_.bytes;
  }

  // The pieces that are under way are the last ones before last_.
  void finish_puts() {
    for (ucs_status_ptr_t put : begun_) link_.forget(put, "ucp_put_nbx");
    link_.finish(ucp_ep_flush_nbx(link_.endpoint(), &quiet_), "ucp_ep_flush_nbx");
    for (std::uint64_t n = last_ - begun_.size(); n < last_; ++n) say(n);
    begun_.clear();
  }
  void finish_gets() {
    std::uint64_t n = last_ - begun_.size();
    for (ucs_status_ptr_t get : begun_) {
      link_.finish(get, "ucp_get_nbx");
      tallies_ += tally(what_, own_.piece(what_, n++));
    }
    begun_.clear();
  }

  // UCX may look at the word until it is sent; by then no more than a sample's pieces follow it.
  void say(std::uint64_t word) {
    std::uint64_t& kept = kept_[said_++ % kept_.size()];
    kept = word;
    ucp_request_param_t eager{};
    eager.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    eager.flags = UCP_AM_SEND_FLAG_EAGER;
    link_.forget(ucp_am_send_nbx(link_.endpoint(), 0, nullptr, 0, &kept, sizeof kept, &eager),
                 "ucp_am_send_nbx");
  }
  void hear(std::uint64_t word) {
    if (expected_ > 0)
      arrive(word);
    else
      heard_.push(word);
  }
  // The piece in this place.
  void arrive(std::uint64_t place) {
    tallies_ += tally(what_, memory_ + place * what_.bytes);
    --expected_;
  }
  // The other may be ahead: the answer to a sample and its farewell may come together.
  std::uint64_t listen() {
    while (heard_.empty()) link_.progress();
    const std::uint64_t word = heard_.front();
    heard_.pop();
    return word;
  }

  ucx_link link_{UCP_FEATURE_AM | UCP_FEATURE_RMA};
  ucp_request_param_t quiet_{};
  cargo own_;
  ucp_mem_h region_ = nullptr;
  std::byte* memory_ = nullptr;  // here, for the other
  std::uint64_t theirs_ = 0;     // the other's, by its own address
  ucp_rkey_h key_ = nullptr;
  bulk what_{};
  unsigned window_ = 1;
  std::vector<ucs_status_ptr_t> begun_;
  std::uint64_t last_ = 0;  // pieces begun in this sample
  std::array<std::uint64_t, 4096> kept_{};
  std::uint64_t said_ = 0;
  std::uint64_t expected_ = 0;       // messages that are about pieces
  std::queue<std::uint64_t> heard_;  // other messages
  std::uint64_t tallies_ = 0;
};

}  // namespace calib
