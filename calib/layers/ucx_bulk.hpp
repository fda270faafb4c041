// Bulk data with UCP, to and from memory that UCX has allocated: a store is a put, a flush, and an
// active message that announces it; a get is a get. A window of them is in flight.
#pragma once

#include <calib/layers/ucx_link.hpp>
#include <calib/program/probe_runner.hpp>

#include <array>
#include <queue>
#include <utility>
#include <vector>

namespace calib {

class ucx_bulk {
 public:
  // Two slots each: for the address of the worker and of its memory.
  ucx_bulk(ucx_address_slot* mine, const ucx_address_slot* other, std::size_t memory_bytes)
      : own_(memory_bytes) {
    link_.handle(
        0,
        [](void* self, const void*, std::size_t, void* data, std::size_t,
           const ucp_am_recv_param_t*) {
          std::uint64_t word = 0;
          std::memcpy(&word, data, sizeof word);
          static_cast<ucx_bulk*>(self)->on_word(word);
          return UCS_OK;
        },
        this);
    link_.connect(mine[0], other[0]);
    register_memory(mine[1], memory_bytes);
    import_remote_memory(other[1]);
  }
  ucx_bulk(const ucx_bulk&) = delete;
  ucx_bulk& operator=(const ucx_bulk&) = delete;

  // Waits until the peer no longer needs this memory.
  void close() {
    ucp_rkey_destroy(key_);
    send_word(0);
    receive_word();
    check(ucp_mem_unmap(link_.context(), region_), "ucp_mem_unmap");
    link_.close();
  }

  void set_window(unsigned window) noexcept { window_ = window; }
  void set(const bulk_spec& what) noexcept { what_ = what; }
  bulk_buffer& memory() noexcept { return own_; }

  // ---- requester ----

  void store(std::uint64_t n) {
    outstanding_.push_back(ucp_put_nbx(link_.endpoint(), own_.piece(what_, n), what_.bytes,
                                       remote_piece(n), key_, &no_options_));
    ++pieces_begun_;
    if (outstanding_.size() == window_) finish_puts();
  }
  std::uint64_t wait_for_stores() {
    finish_puts();
    pieces_begun_ = 0;
    return receive_word();
  }
  void get(std::uint64_t n) {
    outstanding_.push_back(ucp_get_nbx(link_.endpoint(), own_.piece(what_, n), what_.bytes,
                                       remote_piece(n), key_, &no_options_));
    ++pieces_begun_;
    if (outstanding_.size() == window_) finish_gets();
  }
  std::uint64_t wait_for_gets() {
    finish_gets();
    pieces_begun_ = 0;
    send_word(0);
    return std::exchange(checksum_, 0);
  }

  // ---- responder ----

  void serve_stores() {
    expected_ = what_.count();
    // The peer may have begun while this side was still serving the previous sample.
    for (; !words_.empty(); words_.pop()) on_piece(words_.front());
    while (expected_ > 0) link_.progress();
    send_word(std::exchange(checksum_, 0));
  }
  void serve_gets() { receive_word(); }

 private:
  void register_memory(ucx_address_slot& slot, std::size_t memory_bytes) {
    ucp_mem_map_params_t how{};
    how.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    how.length = memory_bytes;
    how.flags = UCP_MEM_MAP_ALLOCATE;
    check(ucp_mem_map(link_.context(), &how, &region_), "ucp_mem_map");
    ucp_mem_attr_t found{};
    found.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    check(ucp_mem_query(region_, &found), "ucp_mem_query");
    memory_ = static_cast<std::byte*>(found.address);
    number_lines(memory_, memory_bytes);

    void* key = nullptr;
    std::size_t bytes = 0;
    check(ucp_rkey_pack(link_.context(), region_, &key, &bytes), "ucp_rkey_pack");
    std::vector<char> text(sizeof memory_ + bytes);
    std::memcpy(text.data(), &memory_, sizeof memory_);
    std::memcpy(text.data() + sizeof memory_, key, bytes);
    ucp_rkey_buffer_release(key);
    slot.write(text.data(), text.size());
  }
  void import_remote_memory(const ucx_address_slot& slot) {
    const char* text = slot.await();
    std::memcpy(&remote_address_, text, sizeof remote_address_);
    check(ucp_ep_rkey_unpack(link_.endpoint(), text + sizeof remote_address_, &key_),
          "ucp_ep_rkey_unpack");
  }

  [[nodiscard]] std::uint64_t remote_piece(std::uint64_t n) const noexcept {
    return remote_address_ + n * what_.bytes;
  }

  // The pieces in flight are the last ones before pieces_begun_.
  void finish_puts() {
    for (ucs_status_ptr_t put : outstanding_) link_.forget(put, "ucp_put_nbx");
    link_.finish(ucp_ep_flush_nbx(link_.endpoint(), &no_options_), "ucp_ep_flush_nbx");
    for (std::uint64_t n = pieces_begun_ - outstanding_.size(); n < pieces_begun_; ++n)
      send_word(n);
    outstanding_.clear();
  }
  void finish_gets() {
    std::uint64_t n = pieces_begun_ - outstanding_.size();
    for (ucs_status_ptr_t get : outstanding_) {
      link_.finish(get, "ucp_get_nbx");
      checksum_ += piece_checksum(what_, own_.piece(what_, n++));
    }
    outstanding_.clear();
  }

  // UCX may read the word until it is sent; at most the pieces of a sample follow it until then.
  void send_word(std::uint64_t word) {
    std::uint64_t& buffer = send_buffers_[words_sent_++ % send_buffers_.size()];
    buffer = word;
    ucp_request_param_t eager{};
    eager.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    eager.flags = UCP_AM_SEND_FLAG_EAGER;
    link_.forget(ucp_am_send_nbx(link_.endpoint(), 0, nullptr, 0, &buffer, sizeof buffer, &eager),
                 "ucp_am_send_nbx");
  }
  void on_word(std::uint64_t word) {
    if (expected_ > 0)
      on_piece(word);
    else
      words_.push(word);
  }
  void on_piece(std::uint64_t place) {
    checksum_ += piece_checksum(what_, memory_ + place * what_.bytes);
    --expected_;
  }
  // A queue, because the peer may be ahead: its last reply and the word of close() may arrive
  // together.
  std::uint64_t receive_word() {
    while (words_.empty()) link_.progress();
    const std::uint64_t word = words_.front();
    words_.pop();
    return word;
  }

  ucx_link link_{UCP_FEATURE_AM | UCP_FEATURE_RMA};
  ucp_request_param_t no_options_{};
  bulk_buffer own_;
  ucp_mem_h region_ = nullptr;
  std::byte* memory_ = nullptr;       // here, for the peer
  std::uint64_t remote_address_ = 0;  // of the peer's memory_
  ucp_rkey_h key_ = nullptr;
  bulk_spec what_{};
  unsigned window_ = 1;
  std::vector<ucs_status_ptr_t> outstanding_;
  std::uint64_t pieces_begun_ = 0;  // in this sample
  std::array<std::uint64_t, 4096> send_buffers_{};
  std::uint64_t words_sent_ = 0;
  std::uint64_t expected_ = 0;       // words about pieces
  std::queue<std::uint64_t> words_;  // other words
  std::uint64_t checksum_ = 0;
};

}  // namespace calib
