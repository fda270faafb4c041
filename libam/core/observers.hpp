// What AM_TRACE and AM_DILATE have of an endpoint.
#pragma once

#include <libam/dilate/computation.hpp>
#include <libam/trace/writer.hpp>

#include <cstdint>

namespace am::detail::core {

class host_clocks;

struct observers {
  trace::writer* trace = nullptr;              // null: AM_TRACE is not set
  dilate::computation* computation = nullptr;  // null: AM_DILATE is not set
  host_clocks* clocks = nullptr;               // of a traced job on several hosts

  // What was computed until now is stretched before that is noted.
  void note_computed() const noexcept {
    if (trace != nullptr && computation != nullptr)
      trace->add_computed(static_cast<std::uint64_t>(computation->total()));
  }
};

}  // namespace am::detail::core
