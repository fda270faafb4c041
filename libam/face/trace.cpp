// trace.h: spans of the program.
#include <am/trace.h>

#include <libam/core/endpoint_list.hpp>
#include <libam/trace/writer.hpp>

namespace core = am::detail::core;
namespace trace = am::detail::trace;

extern "C" {

uint64_t am_trace_begin() {
  const trace::writer* const to = core::trace_of_this_thread();
  return to != nullptr ? to->now() : 0;
}

void am_trace_end(uint64_t begin, const char* name) {
  if (begin == 0 || name == nullptr) return;
  trace::writer* const to = core::trace_of_this_thread();
  if (to == nullptr) return;
  const std::uint64_t end = to->now();
  to->add({trace::kind::span, begin, 0, to->number_of(trace::name_of::span, name)}, end);
}

void am_trace_end_collective(uint64_t begin, const char* name, uint64_t bytes) {
  if (begin == 0 || name == nullptr) return;
  trace::writer* const to = core::trace_of_this_thread();
  if (to == nullptr) return;
  const std::uint64_t end = to->now();
  const std::uint32_t number = to->number_of(trace::name_of::collective, name);
  to->add({trace::kind::collective, begin, 0, number, bytes}, end);
}
}
