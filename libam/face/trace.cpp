// trace.h: spans of the program.
#include <am/trace.h>

#include <libam/core/endpoint_list.hpp>
#include <libam/trace/writer.hpp>

namespace core = am::detail::core;
namespace trace = am::detail::trace;

extern "C" {

uint64_t am_trace_begin() {
  const core::observers of = core::observers_of_this_thread();
  if (of.trace == nullptr) return 0;
  // The spin for what was computed before is not in the span.
  if (of.computation != nullptr) (void)of.computation->total();
  const std::uint64_t begin = of.trace->now();
  of.note_computed();
  return begin;
}

void am_trace_end(uint64_t begin, const char* name) {
  if (begin == 0 || name == nullptr) return;
  const core::observers of = core::observers_of_this_thread();
  if (of.trace == nullptr) return;
  of.note_computed();
  const std::uint32_t number = of.trace->number_of(trace::name_of::span, name);
  of.trace->add({trace::kind::span, begin, 0, number});
}

void am_trace_end_collective(uint64_t begin, const char* name, uint64_t bytes) {
  if (begin == 0 || name == nullptr) return;
  trace::writer* const to = core::observers_of_this_thread().trace;
  if (to == nullptr) return;
  const std::uint64_t end = to->now();
  const std::uint32_t number = to->number_of(trace::name_of::collective, name);
  to->add({trace::kind::collective, begin, 0, number, bytes}, end);
}
}
