// The memory that control groups leave to this process. If more is used the kernel does not refuse
// it, but kills processes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace am::detail::base {

class memory_limit {
 public:
  // No limit.
  memory_limit() = default;
  // The limits that groups have now, of version 2 (memory.max) and version 1
  // (memory.limit_in_bytes), below `root`, "" for the machine's.
  static memory_limit of_this_process(const std::string& root = "");

  // The bytes that may still be used. Where nothing is limited: the largest number, at no cost.
  [[nodiscard]] std::size_t remaining() const;

 private:
  struct group {
    std::string usage_file;
    std::string stat_file;
    unsigned version;
    std::size_t limit;
  };
  [[nodiscard]] static std::size_t remaining_in(const group& g);

  std::vector<group> limited_;
};

}  // namespace am::detail::base
