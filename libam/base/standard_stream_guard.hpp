// While a library of others makes descriptors: it gets none with the number of a standard stream
// that the program has closed, as libam uses none (fd.hpp).
#pragma once

#include <array>

namespace am::detail::base {

class standard_stream_guard {
 public:
  standard_stream_guard() noexcept;
  ~standard_stream_guard();
  standard_stream_guard(const standard_stream_guard&) = delete;
  standard_stream_guard& operator=(const standard_stream_guard&) = delete;

 private:
  std::array<bool, 3> occupied_{};  // by number: opened by this guard
};

}  // namespace am::detail::base
