// Where transports deliver: the table of handlers, and the return path of the message that runs.
// One inbox per endpoint. Its functions are inline because they are the receiver's hot path; the
// table has a handler for every id that can come off the wire, so there is no null test.
#pragma once

#include <am/am.h>
#include <libam/seam/answer.hpp>
#include <libam/seam/credits.hpp>
#include <libam/seam/return_path.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace am::detail::seam {

// Events for core beside messages. No handler runs in the first two.
class event_sink {
 public:
  // A transfer that was under way has ended, by inbox::end_transfer.
  virtual void on_transfer_end(transfer& one) noexcept = 0;
  // `why`: how the connection to `peer` was lost; empty: that rank has died.
  virtual void on_peer_failed(am_rank peer, std::string_view why) noexcept = 0;
  // Is all of this memory here known to be mapped, because it is in a segment of this rank, or a
  // small get requested of `peer` puts its bytes there? A transport accesses no other memory
  // directly.
  [[nodiscard]] virtual bool is_known_mapped(am_rank peer, const void* where,
                                             std::size_t bytes) const noexcept = 0;
  // A request of this rank has been returned; with `unknown` it may have run.
  virtual void on_request_returned(am_status reason, const am_word* words,
                                   bool unknown) noexcept = 0;
  // The answer to the oldest request with room has come from the rank of the running batch. Its
  // handler runs next.
  virtual void on_answer(const answer& one) noexcept = 0;

 protected:
  ~event_sink() = default;
};

class inbox {
 public:
  struct entry {
    am_handler_fn* fn;
    const char* label;
    std::uint32_t flags = 0;  // of am_handler
    std::uint64_t runs = 0;
  };
  // What has come from one rank.
  struct receive_counts {
    std::uint64_t requests = 0;
    std::uint64_t answers = 0;       // replies, and returned requests
    std::uint64_t bytes = 0;         // with the requests
    std::uint64_t answer_bytes = 0;  // with the answers, or stored by them
  };

  // Delivers what has come from one rank. While it lives no thread may call, so that every call of
  // a handler is refused by the one comparison that all calls make anyway. `back` is the return
  // path for requests, null for a batch of replies.
  class batch {
   public:
    batch(inbox& to, am_rank source, return_path* back) noexcept : to_(to), first_(to.serial_) {
      to.source_ = source;
      to.return_path_ = back;
      to.allowed_thread_ = nullptr;
    }
    // No token is valid any more. Every message took one serial, so they need no other count.
    ~batch() {
      receive_counts& from = to_.received_from_[to_.source_];
      (to_.return_path_ != nullptr ? from.requests : from.answers) += to_.serial_ - first_;
      ++to_.serial_;
      to_.allowed_thread_ = to_.owner_;
    }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    // Runs the handler of a request. True: it was answered (replied to or returned), which brings
    // the credit back; false: it was silent.
    bool request(std::uint32_t handler, const am_word* words) noexcept {
      return run(handler, words, nullptr, 0) == to_.last_answered_;
    }
    bool request(std::uint32_t handler, const am_word* words, const void* data,
                 std::size_t bytes) noexcept {
      to_.received_from_[to_.source_].bytes += bytes;
      return run(handler, words, data, bytes) == to_.last_answered_;
    }
    // The same for bytes in this rank's memory, which is the sender's claim: it is not checked.
    bool notice(std::uint32_t handler, const am_word* words, const void* where,
                std::size_t bytes) noexcept {
      to_.placed_ = true;
      const bool answered = request(handler, words, where, bytes);
      to_.placed_ = false;
      return answered;
    }
    // The same for a request that has room for an answer of `room` bytes, and with a payload unless
    // `data` is null. It is always answered.
    void request_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, std::uint32_t room) noexcept {
      to_.with_room_.wrap(*std::exchange(to_.return_path_, &to_.with_room_));
      to_.with_room_.room = room;
      if (!request(handler, words, data, bytes)) {
        constexpr am_word nothing[AM_WORDS] = {};
        to_.with_room_.answer({answer::form::words, to_.with_room_.default_answer_id, nothing});
      }
      to_.with_room_.room = 0;
      to_.return_path_ = &to_.with_room_.inner();
    }
    // Runs the handler of a reply, or of a call of this rank on bulk data. For a reply the
    // transport then returns the credit.
    void reply(std::uint32_t handler, const am_word* words, const void* data = nullptr,
               std::size_t bytes = 0) noexcept {
      run(handler, words, data, bytes);
    }
    // The same with an address that the other side names.
    void placed_reply(std::uint32_t handler, const am_word* words, const void* where,
                      std::size_t bytes) noexcept {
      to_.placed_ = true;
      to_.received_from_[to_.source_].answer_bytes += bytes;
      run(handler, words, where, bytes);
      to_.placed_ = false;
    }
    // An answer that returns room, of any form.
    void deliver_answer(const answer& one) noexcept {
      to_.events_->on_answer(one);
      switch (one.what) {
        case answer::form::words: return reply(one.handler, one.words);
        case answer::form::payload:
          to_.received_from_[to_.source_].answer_bytes += one.bytes;
          return reply(one.handler, one.words, one.data, one.bytes);
        case answer::form::placed: return placed_reply(one.handler, one.words, one.data, one.bytes);
        case answer::form::returned: return deliver_returned(one.reason, one.handler, one.words);
      }
    }
    // A request of this rank has been returned and did not run; with `unknown` it may have run.
    void deliver_returned(am_status reason, std::uint32_t handler, const am_word* words,
                          bool unknown = false) noexcept {
      to_.running_ = handler;
      ++to_.serial_;
      to_.events_->on_request_returned(reason, words, unknown);
    }

    // What runs next is no handler of the table.
    void set_no_handler() noexcept { to_.running_ = to_.count_; }

   private:
    // Returns the serial of the message.
    std::uint64_t run(std::uint32_t handler, const am_word* words, const void* data,
                      std::size_t bytes) noexcept {
      const std::uint64_t serial = ++to_.serial_;
      to_.running_ = handler;
      entry& named = to_.table_[handler < to_.count_ ? handler : to_.count_];
      ++named.runs;
      named.fn(am_token{to_.handle_, serial}, words, data, bytes);
      return serial;
    }

    inbox& to_;
    const std::uint64_t first_;
  };

  // A transfer that was under way has ended, and is core's again: done, unsupported or
  // bad_local_address. No handler runs in this call.
  void end_transfer(transfer& one, transfer_status how) noexcept {
    one.status = how;
    one.released = true;
    events_->on_transfer_end(one);
  }

  [[nodiscard]] bool is_known_mapped(am_rank peer, const void* where,
                                     std::size_t bytes) const noexcept {
    return events_->is_known_mapped(peer, where, bytes);
  }

  // The token of the message that runs.
  [[nodiscard]] am_token token() const noexcept { return {handle_, serial_}; }

  // A transport has learned that `peer` has died. What it had published is delivered later, by
  // transport::drain_dead_peer.
  void report_death(am_rank peer) noexcept { events_->on_peer_failed(peer, {}); }
  // The connection to `peer` has ended for good, whether that rank lives or not.
  void report_loss(am_rank peer, std::string_view why) noexcept {
    events_->on_peer_failed(peer, why);
  }

  // Connections that a transport has refused because they do not come from a rank of this job.
  std::uint64_t refused_connections = 0;

 protected:
  ~inbox() = default;

  // The thread that may call; null while handlers run.
  const void* allowed_thread_ = nullptr;
  const void* owner_ = nullptr;

  // Ids at or above `count_` run table_[count_], which returns the message.
  entry* table_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t running_ = 0;
  am_rank source_ = 0;
  bool placed_ = false;                  // `data` is an address that the sender names, no payload
  return_path* return_path_ = nullptr;   // of the request that runs; null while a reply runs
  std::uint64_t serial_ = 0;             // of the valid token, if a handler runs
  std::uint64_t last_answered_ = ~0ULL;  // the serial of the last request that was answered
  am_ep* handle_ = nullptr;
  event_sink* events_ = nullptr;
  receive_counts* received_from_ = nullptr;  // by rank

  return_path_with_room with_room_;
};

}  // namespace am::detail::seam
