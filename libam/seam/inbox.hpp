// Where transports deliver: the table of handlers, and who may answer the message that is running.
// One inbox per endpoint. Its functions are inline because they are the receiver's hot path; the
// table always has a handler for every id that can come off the wire, so there is no null test.
#pragma once

#include <am/am.h>
#include <libam/seam/credits.hpp>

#include <cstdint>

namespace am::detail::seam {

// The way back to a requester. Never waits: its request's credit holds the place.
class way_back {
 public:
  // Says AM_OK, so that core's call can end in it.
  virtual am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) noexcept = 0;
  // The request cannot be handled here: gives its words back.
  virtual void give_back(am_status reason, std::uint32_t handler,
                         const am_word* words) noexcept = 0;

 protected:
  ~way_back() = default;
};

class inbox {
 public:
  struct entry {
    am_handler_fn* fn;
    const char* label;
  };

  // Runs the handler of a request. True: it was answered (by a reply or by giving it back), so the
  // credit goes home that way; false: it was silent.
  bool request(way_back& back, am_rank source, std::uint32_t handler, const am_word* words,
               const void* data, std::size_t bytes) noexcept {
    back_ = &back;
    return run(source, handler, words, data, bytes) == answered_;
  }

  // Runs the handler of a reply. The transport then gives the credit home.
  void reply(am_rank source, std::uint32_t handler, const am_word* words) noexcept {
    back_ = nullptr;
    run(source, handler, words, nullptr, 0);
  }

  // A request of ours has come back without having run.
  void returned(am_rank source, am_status reason, std::uint32_t handler,
                const am_word* words) noexcept {
    back_ = nullptr;
    source_ = source;
    running_ = handler;
    gate_ = nullptr;
    ++serial_;
    given_back_(*this, reason, words);
    ++serial_;
    gate_ = owner_;
  }

 protected:
  ~inbox() = default;

  using given_back_fn = void(inbox& self, am_status reason, const am_word* words) noexcept;

  // The thread that may call, and null while a handler runs: what a handler calls is refused by the
  // one comparison that every call makes anyway.
  const void* gate_ = nullptr;
  const void* owner_ = nullptr;

  // Ids at or above `count_` run table_[count_], which gives the message back.
  const entry* table_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t running_ = 0;
  am_rank source_ = 0;
  way_back* back_ = nullptr;        // of the request that runs; null while a reply does
  std::uint64_t serial_ = 0;        // of the token that is good; odd while a handler runs
  std::uint64_t answered_ = ~0ULL;  // the serial of the last request that was answered
  am_ep* face_ = nullptr;
  given_back_fn* given_back_ = nullptr;

 private:
  // Says which serial it ran under.
  std::uint64_t run(am_rank source, std::uint32_t handler, const am_word* words, const void* data,
                    std::size_t bytes) noexcept {
    const std::uint64_t serial = serial_ + 1;
    source_ = source;
    running_ = handler;
    serial_ = serial;
    gate_ = nullptr;
    table_[handler < count_ ? handler : count_].fn(am_token{face_, serial}, words, data, bytes);
    gate_ = owner_;
    serial_ = serial + 1;
    return serial;
  }
};

}  // namespace am::detail::seam
