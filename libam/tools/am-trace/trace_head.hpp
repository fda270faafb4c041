// What stands before the records of a trace that have left its windows: the header, and a window,
// as both were at one moment, even while a rank writes them.
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
  std::size_t bytes;
};
using mapping = std::unique_ptr<const std::byte[], unmapping>;
// For reading; null for no bytes. Throws std::runtime_error with one line.
mapping map_file(const base::fd& file, const std::string& path, std::size_t at, std::size_t bytes);
std::size_t size_of(const base::fd& file, const std::string& path);

struct trace_head {
  trace::header header{};
  std::vector<trace::record> window;  // the last records, then zeros
  trace::record open_wait{};          // of kind `none`: the rank was in no wait
};
// Throws std::runtime_error with one line if this is no trace of this format.
trace_head read_head(const base::fd& file, const std::string& path);

}  // namespace am::detail::traces
