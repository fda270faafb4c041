// For the time in which a library of others makes descriptors: it gets none of a standard stream
// that the program has closed, as libam takes none (fd.hpp).
#pragma once

#include <array>

namespace am::detail::base {

class occupied_streams {
 public:
  occupied_streams() noexcept;
  ~occupied_streams();
  occupied_streams(const occupied_streams&) = delete;
  occupied_streams& operator=(const occupied_streams&) = delete;

 private:
  std::array<bool, 3> here_{};  // by number: occupied by this one
};

}  // namespace am::detail::base
