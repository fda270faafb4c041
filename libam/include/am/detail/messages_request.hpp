// What a program holds of a send or a receive that it has begun.
#pragma once

#include <am/detail/messages_thread.hpp>

#include <exception>
#include <span>
#include <utility>

namespace am::messages {

/// A send or a receive that has begun. It is active until wait(), test() or wait_any() has found
/// that it has ended; then result() is what became of it. The memory that it reads or writes is
/// libam's until then.
///
/// The destructor of a receive that has no message yet cancels it. That of any other waits until it
/// has ended, except while an exception unwinds: then the rank is about to leave.
class request {
 public:
  /// Of nothing: not active.
  request() noexcept = default;
  /// The other is of nothing afterwards.
  request(request&& other) noexcept
      : open_(std::exchange(other.open_, nullptr)),
        is_active_(std::exchange(other.is_active_, false)),
        unwinding_(other.unwinding_),
        result_(other.result_) {}
  /// Ends this one as the destructor does.
  request& operator=(request&& other) noexcept {
    if (this == &other) return *this;
    drop();
    open_ = std::exchange(other.open_, nullptr);
    is_active_ = std::exchange(other.is_active_, false);
    unwinding_ = other.unwinding_;
    result_ = other.result_;
    return *this;
  }
  ~request() { drop(); }

  /// Waits until it has ended; returns result().
  const status& wait() {
    if (open_ != nullptr)
      detail::messages::wait_anywhere(*open_->of, [this] { return open_->has_ended(); });
    return take_result();
  }
  /// True if it has ended; polls otherwise, once.
  [[nodiscard]] bool test() {
    if (!has_ended() && detail::messages::is_owner(open_->of->registry))
      detail::messages::poll_once(*open_->of);
    if (!has_ended()) return false;
    take_result();
    return true;
  }
  /// Cancels a receive. True: it gets no message, and ends as cancelled. False: it has one, or it
  /// is of a send; wait for it.
  bool cancel() {
    if (has_ended()) return false;
    return detail::messages::on_owner(open_->of->registry, [this] { return cancel_here(); });
  }

  /// Whether it has begun and no call has found that it has ended.
  [[nodiscard]] bool is_active() const noexcept { return is_active_; }
  /// What became of it, if it is not active.
  [[nodiscard]] const status& result() const noexcept { return result_; }

 private:
  friend class mailbox;
  friend std::size_t wait_any(std::span<request> requests);

  explicit request(detail::messages::operation& open) noexcept
      : open_(&open), is_active_(true), unwinding_(std::uncaught_exceptions()) {}
  explicit request(const status& result) noexcept : is_active_(true), result_(result) {}

  [[nodiscard]] bool has_ended() const noexcept { return open_ == nullptr || open_->has_ended(); }
  const status& take_result() {
    is_active_ = false;
    if (open_ == nullptr) return result_;
    result_ = open_->result;
    if (!open_->is_send) result_.source = open_->of->number_of(result_.source);
    detail::messages::return_operation(*std::exchange(open_, nullptr));
    return result_;
  }
  bool cancel_here() noexcept {
    if (open_->is_send || open_->has_ended() || open_->is_matched) return false;
    open_->of->match.withdraw(*open_);
    open_->result = {open_->from, open_->with, 0, outcome::cancelled};
    detail::messages::end_operation(*open_, outcome::cancelled);
    return true;
  }
  // The wait is the caller's: the thread that owns the endpoint goes on.
  void drop() noexcept {
    if (open_ == nullptr) return;
    const bool unwinds = std::uncaught_exceptions() > unwinding_;
    try {
      if (!cancel() && !has_ended() && !unwinds)
        detail::messages::wait_anywhere(*open_->of, [this] { return open_->has_ended(); });
    } catch (const error&) {  // a call that is not allowed here: libam ends it without the request
    }
    detail::messages::on_owner(open_->of->registry, [this] {
      open_->is_abandoned = true;
      if (open_->has_ended()) detail::messages::free_operation(*open_);
    });
    open_ = nullptr;
  }

  detail::messages::operation* open_ = nullptr;
  bool is_active_ = false;
  int unwinding_ = 0;  // exceptions when it was made
  status result_{};
};

/// The calls of a request, by the names that they have in MPI. @{
inline status wait(request& one) { return one.wait(); }
[[nodiscard]] inline bool test(request& one) { return one.test(); }
inline bool cancel(request& one) { return one.cancel(); }
/// @}

/// Waits until an active one has ended, and returns its place; requests.size(): none is active.
[[nodiscard]] inline std::size_t wait_any(std::span<request> requests) {
  const auto find = [&] {
    std::size_t at = 0;
    while (at < requests.size() && !(requests[at].is_active() && requests[at].has_ended())) ++at;
    return at;
  };
  std::size_t found = find();
  if (found == requests.size()) {
    for (const request& one : requests) {
      if (one.open_ == nullptr) continue;
      detail::messages::wait_anywhere(*one.open_->of, [&] {
        found = find();
        return found != requests.size();
      });
      break;
    }
  }
  if (found != requests.size()) requests[found].take_result();
  return found;
}

/// Waits for all of them. Returns ok, or what was wrong with the first that is not.
inline outcome wait_all(std::span<request> requests) {
  outcome first = outcome::ok;
  for (request& one : requests) {
    const outcome how = one.wait().how;
    if (first == outcome::ok) first = how;
  }
  return first;
}

}  // namespace am::messages
