// The course of a job, in order.
#include <libam/base/format.hpp>
#include <libam/base/process_state.hpp>
#include <libam/tools/am-run/job.hpp>
#include <libam/tools/am-run/program.hpp>
#include <libam/tools/messages.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

constexpr auto explain_grace = 1s;
constexpr auto explain_grace_if_others_go_on = 50ms;  // they wait for the report
constexpr auto failure_grace = 500ms;                 // the job ends within a second of a death
constexpr auto stop_grace = 3s;

}  // namespace

job::job(const options& requested, const std::string& path, const binding& bindings,
         const base::settings& settings)
    : requested_(requested),
      path_(path),
      outlives_deaths_(settings.outlives_deaths),
      output_(loop_, STDOUT_FILENO, requested.label, [this](int error) { on_output_error(error); }),
      errors_(loop_, STDERR_FILENO, requested.label, [](int) {}),  // it cannot be reported
      server_(loop_, *this, requested.ranks, bindings, settings.shm_dir, settings.stall_warn),
      launcher_(path, requested.command, requested.ranks, bindings, requested.captures_output(),
                signals_.original_mask()),
      processes_(requested.ranks) {
  loop_.watch(signals_.fd(), EPOLLIN, [this] { read_signals(); });
  // Orphans of the ranks become children of am-run, so that none is left behind.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int job::run() {
  if (!start_all()) end_others(SIGKILL, 0ms);
  work_until_all_ended();
  kill_orphans();
  drain_output();
  return verdict_.exit_status();
}

bool job::start_all() {
  for (am_rank rank = 0; rank < requested_.ranks; ++rank) {
    loop_.run_once(0);  // the first ones join while the last ones are started
    check_timers();
    if (ending_) return true;
    std::string why;
    base::fd join_socket = server_.open_join_socket(rank);
    if (!join_socket.valid())
      why = base::format("cannot start rank {} of {}: socketpair: {}", rank, requested_.ranks,
                         std::strerror(errno));
    auto made =
        join_socket.valid() ? launcher_.start(rank, std::move(join_socket), why) : std::nullopt;
    if (!made) {
      print(verdict_.record_failure(launch_failed, why));
      return false;
    }
    processes_.add(rank, made->pid);
    if (!requested_.captures_output()) continue;
    output_.add(rank, std::move(made->output));
    errors_.add(rank, std::move(made->errors));
  }
  return true;
}

void job::work_until_all_ended() {
  while (processes_.any_alive()) {
    loop_.run_once(next_timeout());
    check_timers();
  }
}

int job::next_timeout() const {
  std::optional<clock::time_point> next = server_.next_stall_deadline();
  const auto earlier = [&next](const std::optional<clock::time_point>& when) {
    if (when && (!next || *when < *next)) next = when;
  };
  earlier(kill_at_);
  earlier(output_.long_line_deadline());
  earlier(errors_.long_line_deadline());
  for (am_rank rank = 0; rank < processes_.ranks(); ++rank)
    if (processes_[rank].alive) earlier(processes_[rank].explain_deadline);
  if (!next) return -1;
  return std::min(base::milliseconds_until(*next), 60000);
}

void job::check_timers() {
  const auto now = clock::now();
  if (kill_at_ && now >= *kill_at_) {
    processes_.kill_all(SIGKILL);
    kill_at_.reset();
  }
  for (am_rank rank = 0; rank < processes_.ranks(); ++rank) {
    process& each = processes_[rank];
    if (!each.alive || !each.explain_deadline || now < *each.explain_deadline) continue;
    each.explain_deadline.reset();
    const pid_t pid = server_.joined_pid(rank);
    on_death(death_without_close(
        rank, pid,
        base::is_gone(pid)
            ? "it ended without closing its endpoint"
            : "it gave up its endpoint without closing it, and others are in the job"));
  }
  output_.cut_long_line(now);
  errors_.cut_long_line(now);
  server_.report_stalls(now);
}

void job::read_signals() {
  while (const auto note = signals_.next()) {
    switch (note->number) {
      case SIGCHLD: reap(); break;
      case SIGUSR1:
      case SIGUSR2: processes_.kill_all(note->number); break;
      case SIGTSTP: suspend_with_ranks(*note); break;
      default: on_end_signal(*note);
    }
  }
}

void job::on_end_signal(const received_signal& note) {
  if (ending_) {  // the second signal
    stop_now_ = true;
    processes_.kill_all(SIGKILL);
    return;
  }
  verdict_.record_stop(note.number);
  print(base::format("stopped by SIG{}", ::sigabbrev_np(note.number)));
  end_others(note.from_terminal ? 0 : note.number, stop_grace);
}

// A stop from the terminal has reached the ranks, too; any other is passed on, as is the continue.
void job::suspend_with_ranks(const received_signal& note) {
  if (!note.from_terminal) processes_.kill_all(SIGTSTP);
  signals::apply_default_action(SIGTSTP);
  processes_.kill_all(SIGCONT);
}

// Several may have ended since the last call, in an unknown order. One that a signal killed is then
// taken for the cause, and those that returned a status for its consequences.
void job::reap() {
  std::vector<ended_process> found = processes_.reap();
  if (const auto failed_exec = launcher_.failure()) {
    const program what = could_not_run(path_, failed_exec->error);
    fail(verdict_.record_failure(
        what.status, base::format("cannot run {}: {}", requested_.command.front(), what.problem)));
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const ended_process& each) { return WIFSIGNALED(each.wait_status); });
  for (const ended_process& each : found) on_rank_end(each.rank, each.wait_status);
}

void job::on_rank_end(am_rank rank, int wait_status) {
  server_.read_pending(rank);
  const pid_t pid = processes_[rank].pid;
  // A rank that had left in good order affects no other, whatever it returns.
  const bool had_left = server_.epoch(rank) > 0 && server_.completed(rank) == server_.epoch(rank);
  if (wait_status != 0 && !had_left) return on_death(death_of(rank, pid, wait_status));
  if (wait_status != 0) print(verdict_.record_bad_end(rank, pid, wait_status));
  check_stranded(rank);
}

// Does a rank wait in an epoch that a process which has ended has not completed?
void job::check_stranded(am_rank gone) {
  for (am_rank other = 0; other < processes_.ranks(); ++other) {
    if (!server_.is_joined(other) || server_.epoch(other) <= server_.completed(gone)) continue;
    const bool had_joined = server_.epoch(gone) > server_.completed(gone);
    const death of = death_without_close(
        gone, processes_[gone].pid,
        had_joined ? "it ended without closing its endpoint"
                   : base::format("it ended without joining, and rank {} waits for it", other));
    // The others can go on without it only if it was in their epoch.
    if (server_.epoch(other) == server_.epoch(gone)) return on_death(of);
    return fail(verdict_.record_death(of, false));
  }
}

// The others end with it, or are notified and go on. They cannot go on where the program still runs
// and only the process that am-run had started around it has ended.
void job::on_death(const death& of) {
  process& each = processes_[of.rank];
  const bool is_gone = !server_.is_joined(of.rank) || server_.joined_pid(of.rank) == each.pid;
  const bool others_go_on = outlives_deaths_ && !ending_ && is_gone && server_.retire_rank(of.rank);
  if (!others_go_on) return fail(verdict_.record_death(of, false));
  // A rank that had lost its endpoint may end as a process later.
  if (!std::exchange(each.death_reported, true)) print(verdict_.record_death(of, true));
}

void job::on_joined(am_rank) {
  for (am_rank rank = 0; rank < processes_.ranks(); ++rank) {
    if (processes_[rank].pid > 0 && !processes_[rank].alive) check_stranded(rank);
    start_explain_timer(rank);
  }
}

void job::on_lost(am_rank rank) { start_explain_timer(rank); }

// Its process may be about to end, which explains more than the lost connection.
void job::start_explain_timer(am_rank rank) {
  process& each = processes_[rank];
  const bool is_lost = server_.epoch(rank) > server_.completed(rank) && !server_.is_joined(rank);
  if (each.alive && is_lost && !each.explain_deadline && server_.others_joined(rank))
    each.explain_deadline =
        clock::now() + (outlives_deaths_ ? explain_grace_if_others_go_on : explain_grace);
}

void job::on_aborted(am_rank rank, int exit_status, std::string line) {
  // It is writing its last output and ends by itself.
  fail(verdict_.record_abort(rank, server_.joined_pid(rank), exit_status, line), rank);
}

void job::on_failed(int exit_status, std::string line) {
  fail(verdict_.record_failure(exit_status, line));
}

void job::on_output_error(int error) {
  fail(verdict_.record_failure(
      1, base::format("cannot write standard output: {}", std::strerror(error))));
}

void job::on_stalled(std::string line) { print(line); }

void job::print(const std::optional<std::string>& line) {
  if (line) errors_.add_own_line(tools::format_message("am-run", *line));
}

void job::fail(const std::optional<std::string>& line, std::optional<am_rank> spare) {
  print(line);
  if (!ending_) end_others(SIGTERM, failure_grace, spare);
}

}  // namespace am::detail::run
