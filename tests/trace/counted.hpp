// Traces of which a test counts the records.
#pragma once

#include "made.hpp"

#include <libam/tools/am-trace/trace_file.hpp>

#include <cstdint>

namespace trace_test {

using am::detail::trace::record;
using am::detail::trace::window_bytes;
using am::detail::traces::trace_file;

inline constexpr std::uint32_t records_of_window = window_bytes / sizeof(record);

// As many requests, whose numbers ascend.
inline void add_requests(writer& to, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) to.add({kind::request, to.now(), 0, 0, 0, i});
}
// The file of rank 0 of one, which has made so many requests and has left.
inline std::string file_with(const folder& in, std::uint32_t requests) {
  writer to;
  begin(to, in, 0, 1);
  add_requests(to, requests);
  end(to);
  return text_of_file(in.of_rank(0));
}
// How many requests are in it, if their numbers ascend from 0.
inline std::uint32_t requests_in(const std::string& path) {
  trace_file from(path);
  std::uint32_t count = 0;
  bool ascend = true;
  while (const record* one = from.next())
    if (one->type() == kind::request) ascend &= one->sequence == count++;
  CHECK(ascend);
  return count;
}
inline std::size_t records_in(const std::string& path) {
  trace_file from(path);
  std::size_t count = 0;
  while (from.next() != nullptr) ++count;
  return count;
}

}  // namespace trace_test
