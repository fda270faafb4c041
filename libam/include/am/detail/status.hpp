// What a call comes back with: am::status from those that do not throw, am::error from the others.
#pragma once

#include <am/am.h>

#include <stdexcept>

namespace am {

/// Good, or a reason with its cause.
class status {
 public:
  constexpr status() noexcept = default;
  constexpr status(am_status code) noexcept : code_(code) {}
  [[nodiscard]] constexpr bool ok() const noexcept { return code_ == AM_OK; }
  constexpr explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] constexpr am_status code() const noexcept { return code_; }
  [[nodiscard]] am_reason reason() const noexcept { return am_status_reason(code_); }
  [[nodiscard]] const char* text() const noexcept { return am_status_text(code_); }
  friend constexpr bool operator==(status, status) noexcept = default;

 private:
  am_status code_ = AM_OK;
};

/// A status and the one line that says what was wrong.
class error : public std::runtime_error {
 public:
  explicit error(am::status why, const char* line = am_error_text())
      : std::runtime_error(line), status_(why) {}
  [[nodiscard]] am::status status() const noexcept { return status_; }

 private:
  am::status status_;
};

namespace detail {
inline void check(am_status status) {
  if (status != AM_OK) [[unlikely]]
    throw error(status);
}
}  // namespace detail

}  // namespace am
