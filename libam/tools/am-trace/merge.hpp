// What `am-trace merge` writes.
#pragma once

#include <libam/tools/am-trace/pairing.hpp>
#include <libam/tools/am-trace/text_file.hpp>

namespace am::detail::traces {

// For tracing pages of browsers (Perfetto, chrome://tracing): each rank is a process, each event a
// slice, each whole message an arrow from the call that sent it to its handler. This one and the
// next keep in memory what is under way, and `messages` has its remarks then.
void write_json(job_trace& from, pairing& messages, text_file& to);
// A line for each event, in the order of their ends.
void write_csv(job_trace& from, pairing& messages, text_file& to);
// For LogGOPSim: sends and receives of whole messages, and the time between them in which the rank
// did not wait. A rank without a trace does nothing.
void write_goal(job_trace& from, const whole_messages& whole, text_file& to);

}  // namespace am::detail::traces
