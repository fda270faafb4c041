// What stands before the records of a trace that have left its windows: the header, and a window.
// While a rank writes them, the window is that of one moment, before which `left` has left.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/trace/record.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace am::detail::traces {

struct unmapping {
  void operator()(const std::byte* start) const noexcept;
  std::size_t bytes = 0;
};
using mapping = std::unique_ptr<const std::byte[], unmapping>;
// For reading. Throws std::runtime_error with one line.
mapping map_file(const base::fd& file, const std::string& path, std::size_t bytes);

struct trace_head {
  trace::header header{};
  std::size_t left_there = 0;         // of `left`, what the file has; less: it was cut
  std::vector<trace::record> window;  // the last records; empty if the file was cut
  trace::record open_wait{};          // of kind `none`: the rank was in no wait
};
// Throws std::runtime_error with one line if this is no trace of this format.
trace_head read_head(const base::fd& file, const std::string& path);

}  // namespace am::detail::traces
