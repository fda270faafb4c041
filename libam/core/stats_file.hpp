// Where counters are written when a rank leaves: AM_STATS.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>

#include <string>
#include <string_view>

namespace am::detail::core {

class stats_file {
 public:
  // A file to which this rank adds a line, or - for standard error; empty: none. It is opened at
  // the join: what cannot be written is known before the work, not after it.
  am_status open(const std::string& name);
  [[nodiscard]] bool is_open() const noexcept { return file_.valid(); }

  // The line in one piece, so that those of other ranks stand before or after it.
  void add(std::string_view line) noexcept;

 private:
  std::string name_;
  base::fd file_;
};

}  // namespace am::detail::core
