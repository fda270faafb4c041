/// @file
/// Parts of a program in its trace (AM_TRACE=DIR; docs/traces.md):
///
///     {
///       am::span part("relax");
///       relax(grid);
///     }
///
/// Spans may be in each other, and in handlers. Without AM_TRACE one reads a flag twice.
#pragma once

#include <am/trace.h>

#include <cstdint>

namespace am {

/// From here to the end of the block, by the thread that owns the endpoint.
class span {
 public:
  /// `name` stays as it is until the end of the block.
  explicit span(const char* name) noexcept : name_(name), begin_(am_trace_begin()) {}
  ~span() {
    if (begin_ != 0) am_trace_end(begin_, name_);
  }
  span(const span&) = delete;
  span& operator=(const span&) = delete;

 private:
  const char* name_;
  std::uint64_t begin_;
};

}  // namespace am
