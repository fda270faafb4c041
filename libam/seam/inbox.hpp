// Where transports deliver: the table of handlers, and who may answer the message that is running.
// One inbox per endpoint. Its functions are inline because they are the receiver's hot path; the
// table always has a handler for every id that can come off the wire, so there is no null test.
#pragma once

#include <am/am.h>
#include <libam/seam/answer.hpp>
#include <libam/seam/credits.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace am::detail::seam {

// The way back to a requester. Never waits: its request's credit holds the place.
class way_back {
 public:
  // Says AM_OK, so that core's call can end in it.
  virtual am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) noexcept = 0;
  // The same with an address that the handler finds as `data`, and how many bytes stand there.
  virtual void reply_at(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept = 0;
  // The request cannot be handled here: gives its words back.
  virtual void give_back(am_status reason, std::uint32_t handler,
                         const am_word* words) noexcept = 0;
  // The answer to the request that runs, which has room: in the place of those above.
  virtual void answer(const seam::answer& one) noexcept = 0;
  // Copies bytes into the requester's memory, now or not at all: done, no_way, bad_address or
  // bad_here.
  virtual reach place(void*, const void*, std::size_t) noexcept { return reach::no_way; }
  // The requester has died, as far as can be seen. Asked where place found no way and there is not
  // room enough.
  [[nodiscard]] virtual bool leads_nowhere() const noexcept { return false; }

 protected:
  ~way_back() = default;
};

// What handlers of requests with room answer by: tells the transport that these answers give room
// back. So no other reply is asked whether it does.
class way_back_with_room final : public way_back {
 public:
  // Of the request that runs: how many bytes its answer may have. 0: it has no room.
  std::uint32_t room = 0;
  std::uint32_t no_answer = 0;  // the handler of libam's own answer where there is no other

  void lead(way_back& by) noexcept { by_ = &by; }
  [[nodiscard]] way_back& by() const noexcept { return *by_; }

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    const am_word words[AM_WORDS] = {w0, w1, w2, w3};
    by_->answer({seam::answer::form::words, handler, words});
    return AM_OK;
  }
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override {
    by_->answer({seam::answer::form::placed, handler, words, where, bytes});
  }
  void give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept override {
    by_->answer({seam::answer::form::returned, handler, words, nullptr, 0, reason});
  }
  void answer(const seam::answer& one) noexcept override { by_->answer(one); }
  reach place(void* where, const void* data, std::size_t bytes) noexcept override {
    return by_->place(where, data, bytes);
  }
  [[nodiscard]] bool leads_nowhere() const noexcept override { return by_->leads_nowhere(); }

 private:
  way_back* by_ = nullptr;
};

// What core hears of beside messages. No handler runs in the first two.
class news {
 public:
  // A transfer that was under way has ended, as inbox::transferred says.
  virtual void transferred(transfer& one) noexcept = 0;
  // `why`: how the way to `peer` was lost; empty: that rank has died.
  virtual void heard_of_end(am_rank peer, std::string_view why) noexcept = 0;
  // Is it known that all of this memory here is mapped, because it lies in a segment of this rank,
  // or is where a small get puts what `peer` has been asked for? Anything else a transport does not
  // touch itself.
  [[nodiscard]] virtual bool expects(am_rank peer, const void* where,
                                     std::size_t bytes) const noexcept = 0;
  // A request of this rank has come back; with `unknown` nobody can tell whether it ran.
  virtual void given_back(am_status reason, const am_word* words, bool unknown) noexcept = 0;
  // The answer to the oldest request with room has come from the rank of the running batch, with so
  // many bytes of payload, or with bytes that were placed. Its handler runs next.
  virtual void answer_has_come(const answer& one) noexcept = 0;

 protected:
  ~news() = default;
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
  struct arrivals {
    std::uint64_t requests = 0;
    std::uint64_t answers = 0;       // replies, and requests that came back
    std::uint64_t bytes = 0;         // with the requests
    std::uint64_t answer_bytes = 0;  // with the answers, or stored by them
  };

  // Delivers what has come from one rank: while it lives the gate is shut, so that whatever a
  // handler calls is refused by the one comparison that every call makes anyway. `back` is the way
  // to answer requests, null for a batch of replies.
  class batch {
   public:
    batch(inbox& to, am_rank source, way_back* back) noexcept : to_(to), first_(to.serial_) {
      to.source_ = source;
      to.back_ = back;
      to.gate_ = nullptr;
    }
    // No token is good any more. Every message took one serial, so they need no count of their own.
    ~batch() {
      arrivals& from = to_.came_from_[to_.source_];
      (to_.back_ != nullptr ? from.requests : from.answers) += to_.serial_ - first_;
      ++to_.serial_;
      to_.gate_ = to_.owner_;
    }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    // Runs the handler of a request. True: it was answered (by a reply or by giving it back), so
    // the credit goes home that way; false: it was silent.
    bool request(std::uint32_t handler, const am_word* words) noexcept {
      return run(handler, words, nullptr, 0) == to_.answered_;
    }
    bool request(std::uint32_t handler, const am_word* words, const void* data,
                 std::size_t bytes) noexcept {
      to_.came_from_[to_.source_].bytes += bytes;
      return run(handler, words, data, bytes) == to_.answered_;
    }
    // The same for bytes that stand in this rank's memory, or so says their sender: nobody has
    // looked there.
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
      to_.with_room_.lead(*std::exchange(to_.back_, &to_.with_room_));
      to_.with_room_.room = room;
      if (!request(handler, words, data, bytes)) {
        constexpr am_word nothing[AM_WORDS] = {};
        to_.with_room_.answer({answer::form::words, to_.with_room_.no_answer, nothing});
      }
      to_.with_room_.room = 0;
      to_.back_ = &to_.with_room_.by();
    }
    // Runs the handler of a reply, or of bulk data that has come to this rank's caller. The
    // transport then gives the credit home.
    void reply(std::uint32_t handler, const am_word* words, const void* data = nullptr,
               std::size_t bytes = 0) noexcept {
      run(handler, words, data, bytes);
    }
    // The same with an address that the other side names.
    void placed_reply(std::uint32_t handler, const am_word* words, const void* where,
                      std::size_t bytes) noexcept {
      to_.placed_ = true;
      to_.came_from_[to_.source_].answer_bytes += bytes;
      run(handler, words, where, bytes);
      to_.placed_ = false;
    }
    // An answer that gives room back, of whatever form.
    void answered(const answer& one) noexcept {
      to_.news_->answer_has_come(one);
      switch (one.what) {
        case answer::form::words: return reply(one.handler, one.words);
        case answer::form::payload:
          to_.came_from_[to_.source_].answer_bytes += one.bytes;
          return reply(one.handler, one.words, one.data, one.bytes);
        case answer::form::placed: return placed_reply(one.handler, one.words, one.data, one.bytes);
        case answer::form::returned: return returned(one.reason, one.handler, one.words);
      }
    }
    // A request of ours has come back without having run; with `unknown` nobody can tell.
    void returned(am_status reason, std::uint32_t handler, const am_word* words,
                  bool unknown = false) noexcept {
      to_.running_ = handler;
      ++to_.serial_;
      to_.news_->given_back(reason, words, unknown);
    }

    // What runs is no handler of the table.
    void no_handler() noexcept { to_.running_ = to_.count_; }

   private:
    // Says which serial it ran under.
    std::uint64_t run(std::uint32_t handler, const am_word* words, const void* data,
                      std::size_t bytes) noexcept {
      const std::uint64_t serial = ++to_.serial_;
      to_.running_ = handler;
      entry& named = to_.table_[handler < to_.count_ ? handler : to_.count_];
      ++named.runs;
      named.fn(am_token{to_.face_, serial}, words, data, bytes);
      return serial;
    }

    inbox& to_;
    const std::uint64_t first_;
  };

  // A transfer that was under way has ended, and is core's again: done, no_way or bad_here. No
  // handler runs in this call.
  void transferred(transfer& one, reach how) noexcept {
    one.at = how;
    one.released = true;
    news_->transferred(one);
  }

  [[nodiscard]] bool expects(am_rank peer, const void* where, std::size_t bytes) const noexcept {
    return news_->expects(peer, where, bytes);
  }

  // Of the message that runs.
  [[nodiscard]] am_token token() const noexcept { return {face_, serial_}; }

  // A transport has been told that `peer` has died. What that one had published is asked for later,
  // by transport::last_words.
  void hear_of_death(am_rank peer) noexcept { news_->heard_of_end(peer, {}); }
  // The way to `peer` has ended and stays so, whatever has become of that rank.
  void hear_of_loss(am_rank peer, std::string_view why) noexcept { news_->heard_of_end(peer, why); }

 protected:
  ~inbox() = default;

  // The thread that may call, and null while handlers run.
  const void* gate_ = nullptr;
  const void* owner_ = nullptr;

  // Ids at or above `count_` run table_[count_], which gives the message back.
  entry* table_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t running_ = 0;
  am_rank source_ = 0;
  bool placed_ = false;             // where `data` points its sender says; it is no payload
  way_back* back_ = nullptr;        // of the request that runs; null while a reply does
  std::uint64_t serial_ = 0;        // of the token that is good, if a handler runs
  std::uint64_t answered_ = ~0ULL;  // the serial of the last request that was answered
  am_ep* face_ = nullptr;
  news* news_ = nullptr;
  arrivals* came_from_ = nullptr;  // by rank

  way_back_with_room with_room_;
};

}  // namespace am::detail::seam
