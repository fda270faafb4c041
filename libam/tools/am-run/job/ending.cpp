// The end of a job: the remaining ranks get a signal, then are killed; their output is passed on to
// the last byte.
#include <libam/tools/am-run/job/job.hpp>
#include <libam/tools/am-run/streams/last_output.hpp>

namespace am::detail::run {

void job::end_others(int signal, std::chrono::milliseconds grace, bool from_terminal,
                     std::optional<am_rank> spare) {
  ending_ = true;
  hosts_.end_ranks(signal, from_terminal, spare);
  kill_at_ = clock::now() + grace;
}

void job::drain_output() {
  wait_for_last_output(
      [this] { return stop_now_ || (hosts_.all_finished() && output_.done() && errors_.done()); },
      [this] { return output_.congested() || errors_.congested() || !hosts_.all_finished(); },
      [this] {
        loop_.run_once(20);
        hosts_.check_deadlines(clock::now());
      });
  hosts_.abandon();
  output_.finish();
  errors_.finish();
  while (!stop_now_ && (output_.congested() || errors_.congested())) loop_.run_once(-1);
  if (output_.congested()) (void)verdict_.record_failure(1, {});
}

}  // namespace am::detail::run
