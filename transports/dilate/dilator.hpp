// Stretches what a rank computes (AM_DILATE): between calls of the library, which the wrapped
// transports see, and in the program's handlers.
#pragma once

#include <libam/dilate/computation.hpp>
#include <libam/seam/message_hooks.hpp>
#include <libam/seam/return_path.hpp>

#include <memory>
#include <span>
#include <vector>

namespace am::detail::dilate {

// An answer is a call of the library, too.
class dilated_answers final : public seam::forwarding_return_path {
 public:
  explicit dilated_answers(computation& of) noexcept : of_(of) {}

  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    const library_call here(of_);
    return forwarding_return_path::reply(handler, w0, w1, w2, w3);
  }
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override {
    const library_call here(of_);
    forwarding_return_path::reply_at(handler, words, where, bytes);
  }
  void answer(const seam::answer& one) noexcept override {
    const library_call here(of_);
    forwarding_return_path::answer(one);
  }
  seam::transfer_status place(void* where, const void* data, std::size_t bytes) noexcept override {
    const library_call here(of_);
    return forwarding_return_path::place(where, data, bytes);
  }

 private:
  computation& of_;
};

class dilator final : public seam::message_hooks {
 public:
  // The computation outlives it.
  explicit dilator(computation& of) noexcept : of_(of) {}

  std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner) override;
  void name_handlers(std::span<const seam::inbox::entry> table) override;
  [[nodiscard]] bool wants_handler() const noexcept override { return true; }
  void before_handler(const seam::running_message& one) noexcept override {
    is_of_libam_ = one.handler < of_libam_.size() && of_libam_[one.handler];
    if (!is_of_libam_) interrupted_ = of_.begin_handler();
  }
  void after_handler(const seam::running_message&) noexcept override {
    if (!is_of_libam_) of_.end_handler(interrupted_);
  }
  // Handlers in that one are part of it.
  void before_carried() noexcept override {
    if (carried_depth_++ == 0) interrupted_by_carried_ = of_.begin_handler();
  }
  void after_carried(const seam::running_message&) noexcept override {
    if (--carried_depth_ == 0) of_.end_handler(interrupted_by_carried_);
  }
  seam::return_path& wrap_answers(seam::return_path& back, am_rank) noexcept override {
    answers_.wrap(back);
    return answers_;
  }

 private:
  computation& of_;
  dilated_answers answers_{of_};
  unsigned interrupted_ = 0;
  unsigned interrupted_by_carried_ = 0;
  unsigned carried_depth_ = 0;
  std::vector<bool> of_libam_;  // by the number of a handler
  bool is_of_libam_ = false;    // the one that runs
};

}  // namespace am::detail::dilate
