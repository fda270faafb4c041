// How answers go back: the interface, a return path that forwards to another one, and that of
// requests with room.
#pragma once

#include <am/am.h>
#include <libam/seam/answer.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::seam {

// The return path to a requester. Never waits: its request's credit keeps the slot free.
class return_path {
 public:
  // Returns AM_OK, so that core's call can end in it.
  virtual am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) noexcept = 0;
  // The same with an address that the handler gets as `data`, and the number of bytes there.
  virtual void reply_at(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept = 0;
  // The request cannot be handled here: returns its words.
  virtual void return_request(am_status reason, std::uint32_t handler,
                              const am_word* words) noexcept = 0;
  // The answer to the request that runs, if it has room: instead of the calls above.
  virtual void answer(const seam::answer& one) noexcept = 0;
  // Copies bytes into the requester's memory, now or not at all: done, unsupported,
  // bad_remote_address or bad_local_address.
  virtual transfer_status place(void*, const void*, std::size_t) noexcept {
    return transfer_status::unsupported;
  }
  // The requester has died, as far as this rank knows. Called where place() is unsupported and
  // there is not enough room.
  [[nodiscard]] virtual bool requester_is_dead() const noexcept { return false; }

 protected:
  ~return_path() = default;
};

// Forwards every call to another one, so that a wrapper overrides only the calls that it changes.
class forwarding_return_path : public return_path {
 public:
  void wrap(return_path& inner) noexcept { inner_ = &inner; }
  [[nodiscard]] return_path& inner() const noexcept { return *inner_; }

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    return inner_->reply(handler, w0, w1, w2, w3);
  }
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override {
    inner_->reply_at(handler, words, where, bytes);
  }
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override {
    inner_->return_request(reason, handler, words);
  }
  void answer(const seam::answer& one) noexcept override { inner_->answer(one); }
  transfer_status place(void* where, const void* data, std::size_t bytes) noexcept override {
    return inner_->place(where, data, bytes);
  }
  [[nodiscard]] bool requester_is_dead() const noexcept override {
    return inner_->requester_is_dead();
  }

 protected:
  ~forwarding_return_path() = default;

 private:
  return_path* inner_ = nullptr;
};

// The return path of requests with room: marks their answers for the transport, because these
// return room. So other replies need no test of it.
class return_path_with_room final : public forwarding_return_path {
 public:
  // The bytes that the answer to the request that runs may have. 0: it has no room.
  std::uint32_t room = 0;
  std::uint32_t default_answer_id = 0;  // the handler of libam's own answer if there is no other

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    const am_word words[AM_WORDS] = {w0, w1, w2, w3};
    answer({seam::answer::form::words, handler, words});
    return AM_OK;
  }
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override {
    answer({seam::answer::form::placed, handler, words, where, bytes});
  }
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override {
    answer({seam::answer::form::returned, handler, words, nullptr, 0, reason});
  }
};

}  // namespace am::detail::seam
