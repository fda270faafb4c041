// The own gap of receiving: what a delivery takes, without handlers and the overheads that are
// dialled before them.
#pragma once

#include <transports/dial/own_gap.hpp>
#include <transports/dial/spinner.hpp>

namespace am::detail::dial {

class delivery_gap {
 public:
  delivery_gap(bool wanted, const spinner& clock) noexcept : clock_(clock), gap_(wanted) {}

  [[nodiscard]] ticks value() const noexcept { return gap_.value(); }

  // Around a delivery of messages, of which `taken` have been delivered.
  void begin() noexcept {
    if (!gap_.is_wanted()) return;
    in_handlers_ = handled_ = 0;
    answered_behind_ = false;
    begin_ = clock_.now();
  }
  void end(unsigned taken) noexcept {
    if (!gap_.is_wanted()) return;
    const ticks busy = clock_.now() - begin_;
    const bool only_handled = taken != 0 && handled_ == taken && !answered_behind_;
    if (only_handled && busy > in_handlers_) gap_.learn((busy - in_handlers_) / taken);
  }
  // Around each handler within it, with its overhead.
  void before_handler() noexcept {
    if (!gap_.is_wanted()) return;
    in_handler_ = true;
    handler_begin_ = clock_.now();
  }
  void after_handler() noexcept {
    if (!gap_.is_wanted()) return;
    in_handler_ = false;
    in_handlers_ += clock_.now() - handler_begin_;
    ++handled_;
  }
  // One behind its handler, for which that has not answered, has an overhead of its own.
  void note_answer() noexcept { answered_behind_ |= !in_handler_; }

 private:
  const spinner& clock_;
  own_gap gap_;
  ticks begin_ = 0;
  ticks handler_begin_ = 0;
  ticks in_handlers_ = 0;
  unsigned handled_ = 0;
  bool in_handler_ = false;
  bool answered_behind_ = false;
};

}  // namespace am::detail::dial
