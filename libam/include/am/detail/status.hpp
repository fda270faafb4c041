// The results of calls: am::status from those that do not throw, am::error from the others.
#pragma once

#include <am/am.h>

#include <stdexcept>

namespace am {

/// AM_OK, or a reason with its cause.
class status {
 public:
  /// AM_OK.
  constexpr status() noexcept = default;
  /// What a call of am.h has returned.
  constexpr status(am_status code) noexcept : code_(code) {}
  /// Whether it is AM_OK.
  [[nodiscard]] constexpr bool ok() const noexcept { return code_ == am_status{}; }
  /// The same.
  constexpr explicit operator bool() const noexcept { return ok(); }
  /// For a comparison with AM_AGAIN_CREDIT and others.
  [[nodiscard]] constexpr am_status code() const noexcept { return code_; }
  /// What kind of error it is.
  [[nodiscard]] am_reason reason() const noexcept { return am_status_reason(code_); }
  /// A short text: "argument(rank)".
  [[nodiscard]] const char* text() const noexcept { return am_status_text(code_); }
  /// Equal causes.
  friend constexpr bool operator==(status, status) noexcept = default;

 private:
  am_status code_{};
};

/// A status, and the line that says what was wrong: what() returns it.
class error : public std::runtime_error {
 public:
  /// `line` is this thread's last.
  explicit error(am::status why, const char* line = am_error_text())
      : std::runtime_error(line), status_(why) {}
  /// The reason and its cause.
  [[nodiscard]] am::status status() const noexcept { return status_; }

 private:
  am::status status_;
};

namespace detail {
inline void check(am_status status) {
  if (status != am_status{}) [[unlikely]]
    throw error(status);
}
}  // namespace detail

}  // namespace am
