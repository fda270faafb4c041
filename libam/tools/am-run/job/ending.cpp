// The end of a job: the remaining ranks get a signal, then are killed; their output is passed on to
// the last byte.
#include <libam/tools/am-run/job/job.hpp>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

constexpr auto silence_deadline = 1s;

}  // namespace

void job::end_others(int signal, std::chrono::milliseconds grace, bool from_terminal,
                     std::optional<am_rank> spare) {
  ending_ = true;
  hosts_.end_ranks(signal, from_terminal, spare);
  kill_at_ = clock::now() + grace;
}

void job::drain_output() {
  // A slow reader may take any time, and so may the output of other hosts, which are watched; a
  // writer here that could not be killed may not.
  auto silent_since = clock::now();
  while (!stop_now_ && !(hosts_.all_finished() && output_.done() && errors_.done())) {
    loop_.run_once(20);
    const auto now = clock::now();
    hosts_.check_deadlines(now);
    if (output_.congested() || errors_.congested() || !hosts_.all_finished()) silent_since = now;
    if (now - silent_since > silence_deadline) break;
  }
  hosts_.abandon();
  output_.finish();
  errors_.finish();
  while (!stop_now_ && (output_.congested() || errors_.congested())) loop_.run_once(-1);
  if (output_.congested()) (void)verdict_.record_failure(1, {});
}

}  // namespace am::detail::run
