// A return path that forwards every call to another one, so that a wrapper overrides only the calls
// that it changes.
#pragma once

#include <libam/seam/inbox.hpp>

namespace am::detail::seam {

class forwarding_return_path : public return_path {
 public:
  void wrap(return_path& inner) noexcept { inner_ = &inner; }

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

}  // namespace am::detail::seam
