// What `am-trace show` prints: what each rank did, the handlers and calls that took the most time,
// and how long messages were under way.
#pragma once

#include <libam/tools/am-trace/job_trace.hpp>

#include <string>

namespace am::detail::traces {

std::string summary_of(job_trace& from, std::size_t most_rows);

}  // namespace am::detail::traces
