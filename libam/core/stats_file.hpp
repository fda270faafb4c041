// The file that a rank writes its counters to when it leaves: AM_STATS.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>

#include <string>
#include <string_view>

namespace am::detail::core {

class stats_file {
 public:
  // A file to which this rank adds a line, or - for standard error; empty: none. It is opened at
  // the join, so that one that cannot be written is reported before the work.
  am_status open(const std::string& name);
  [[nodiscard]] bool is_open() const noexcept { return file_.valid(); }

  // Writes the line in one piece, so that lines of other ranks come before or after it.
  void add(std::string_view line) noexcept;

 private:
  std::string name_;
  base::fd file_;
};

}  // namespace am::detail::core
