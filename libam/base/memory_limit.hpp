// The memory that control groups leave to this process. Asked for more, the kernel does not say no:
// it ends processes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace am::detail::base {

class memory_limit {
 public:
  // None.
  memory_limit() = default;
  // By the groups that have a limit now, of version 2 (memory.max) and version 1
  // (memory.limit_in_bytes), below `root`, "" for the machine's.
  static memory_limit of_this_process(const std::string& root = "");

  // So many bytes may still be taken; all that can be counted where nothing is limited, which costs
  // nothing to find out.
  [[nodiscard]] std::size_t left() const;

 private:
  struct group {
    std::string usage_file;
    std::string stat_file;
    unsigned version;
    std::size_t limit;
  };
  [[nodiscard]] static std::size_t left_in(const group& g);

  std::vector<group> limited_;
};

}  // namespace am::detail::base
