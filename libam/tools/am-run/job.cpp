// What happens to a job, in the order in which it happens.
#include <libam/base/format.hpp>
#include <libam/base/process_state.hpp>
#include <libam/tools/am-run/job.hpp>
#include <libam/tools/am-run/program.hpp>
#include <libam/tools/words.hpp>

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
constexpr auto explain_grace_if_others_go_on = 50ms;  // they wait for the news
constexpr auto failure_grace = 500ms;                 // all ends within a second of a death
constexpr auto stop_grace = 3s;

}  // namespace

job::job(const options& wanted, const std::string& path, const binding& places,
         const base::settings& settings)
    : wanted_(wanted),
      path_(path),
      outlives_deaths_(settings.outlives_deaths),
      output_(loop_, STDOUT_FILENO, wanted.label, [this](int error) { lost_output(error); }),
      errors_(loop_, STDERR_FILENO, wanted.label, [](int) {}),  // where could it be said?
      server_(loop_, *this, wanted.ranks, places, settings.shm_dir, settings.stall_warn),
      launcher_(path, wanted.command, wanted.ranks, places, wanted.own_pipes(),
                signals_.original_mask()),
      processes_(wanted.ranks) {
  loop_.watch(signals_.fd(), EPOLLIN, [this] { read_signals(); });
  // What a rank has started and not waited for becomes our child, so that none is left behind.
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
  for (am_rank rank = 0; rank < wanted_.ranks; ++rank) {
    loop_.turn(0);  // the first ones join while the last ones are started
    timers();
    if (ending_) return true;
    std::string why;
    base::fd door = server_.open_door(rank);
    if (!door.valid())
      why = base::format("cannot start rank {} of {}: socketpair: {}", rank, wanted_.ranks,
                         std::strerror(errno));
    auto made = door.valid() ? launcher_.start(rank, std::move(door), why) : std::nullopt;
    if (!made) {
      tell(verdict_.failed(launch_failed, why));
      return false;
    }
    processes_.started(rank, made->pid);
    if (!wanted_.own_pipes()) continue;
    output_.add(rank, std::move(made->output));
    errors_.add(rank, std::move(made->errors));
  }
  return true;
}

void job::work_until_all_ended() {
  while (processes_.any_alive()) {
    loop_.turn(next_timeout());
    timers();
  }
}

int job::next_timeout() const {
  std::optional<clock::time_point> next = server_.next_stall();
  const auto earlier = [&next](const std::optional<clock::time_point>& when) {
    if (when && (!next || *when < *next)) next = when;
  };
  earlier(kill_at_);
  earlier(output_.patience_ends());
  earlier(errors_.patience_ends());
  for (am_rank rank = 0; rank < processes_.ranks(); ++rank)
    if (processes_[rank].alive) earlier(processes_[rank].explain_until);
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000));
}

void job::timers() {
  const auto now = clock::now();
  if (kill_at_ && now >= *kill_at_) {
    processes_.kill_all(SIGKILL);
    kill_at_.reset();
  }
  for (am_rank rank = 0; rank < processes_.ranks(); ++rank) {
    process& each = processes_[rank];
    if (!each.alive || !each.explain_until || now < *each.explain_until) continue;
    each.explain_until.reset();
    const pid_t pid = server_.joined_pid(rank);
    died(death_by_leaving(
        rank, pid,
        base::is_gone(pid)
            ? "it ended without closing its endpoint"
            : "it gave up its endpoint without closing it, and others are in the job"));
  }
  output_.cut_long_line(now);
  errors_.cut_long_line(now);
  server_.say_stalls(now);
}

void job::read_signals() {
  while (const auto note = signals_.next()) {
    switch (note->number) {
      case SIGCHLD: reap(); break;
      case SIGUSR1:
      case SIGUSR2: processes_.kill_all(note->number); break;
      case SIGTSTP: stop_together(*note); break;
      default: asked_to_end(*note);
    }
  }
}

void job::asked_to_end(const signal_note& note) {
  if (ending_) {  // asked twice
    by_force_ = true;
    processes_.kill_all(SIGKILL);
    return;
  }
  verdict_.stopped(note.number);
  tell(base::format("stopped by SIG{}", ::sigabbrev_np(note.number)));
  end_others(note.from_terminal ? 0 : note.number, stop_grace);
}

// What the terminal stops it stops with the ranks; what it lets go on, too.
void job::stop_together(const signal_note& note) {
  if (!note.from_terminal) processes_.kill_all(SIGTSTP);
  signals::obey(SIGTSTP);
  processes_.kill_all(SIGCONT);
}

// Several may have ended since we last looked, in an order that nobody has kept. One that a signal
// killed is then taken for the cause, and those that returned a status for its victims.
void job::reap() {
  std::vector<ended> found = processes_.reap();
  if (const auto failed_exec = launcher_.failure()) {
    const program what = could_not_run(path_, failed_exec->error);
    fail(verdict_.failed(what.status,
                         base::format("cannot run {}: {}", wanted_.command.front(), what.fault)));
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const ended& each) { return WIFSIGNALED(each.wait_status); });
  for (const ended& each : found) rank_ended(each.rank, each.wait_status);
}

void job::rank_ended(am_rank rank, int wait_status) {
  server_.settle(rank);
  const pid_t pid = processes_[rank].pid;
  // One that had left in good order hurts nobody, whatever it returns.
  const bool had_left = server_.epoch(rank) > 0 && server_.completed(rank) == server_.epoch(rank);
  if (wait_status != 0 && !had_left) return died(death_of(rank, pid, wait_status));
  if (wait_status != 0) tell(verdict_.ended_badly(rank, pid, wait_status));
  check_stranded(rank);
}

// Is somebody in an epoch that a process which is gone has not completed, and waits for it?
void job::check_stranded(am_rank gone) {
  for (am_rank other = 0; other < processes_.ranks(); ++other) {
    if (!server_.inside(other) || server_.epoch(other) <= server_.completed(gone)) continue;
    const bool had_joined = server_.epoch(gone) > server_.completed(gone);
    const death of = death_by_leaving(
        gone, processes_[gone].pid,
        had_joined ? "it ended without closing its endpoint"
                   : base::format("it ended without joining, and rank {} waits for it", other));
    // Nobody goes on without one who was not with them.
    if (server_.epoch(other) == server_.epoch(gone)) return died(of);
    return fail(verdict_.died(of, false));
  }
}

// The others end with it, or hear of it and go on. They do not where the program still runs and
// only what am-run had started around it has ended.
void job::died(const death& of) {
  process& each = processes_[of.rank];
  const bool is_gone = !server_.inside(of.rank) || server_.joined_pid(of.rank) == each.pid;
  const bool others_go_on = outlives_deaths_ && !ending_ && is_gone && server_.bury(of.rank);
  if (!others_go_on) return fail(verdict_.died(of, false));
  // What had lost its endpoint may end as a process later.
  if (!std::exchange(each.said_dead, true)) tell(verdict_.died(of, true));
}

void job::joined(am_rank) {
  for (am_rank rank = 0; rank < processes_.ranks(); ++rank) {
    if (processes_[rank].pid > 0 && !processes_[rank].alive) check_stranded(rank);
    watch_lost(rank);
  }
}

void job::lost(am_rank rank) { watch_lost(rank); }

// Its process may be about to end, and how it ends says more than that it is lost.
void job::watch_lost(am_rank rank) {
  process& each = processes_[rank];
  const bool is_lost = server_.epoch(rank) > server_.completed(rank) && !server_.inside(rank);
  if (each.alive && is_lost && !each.explain_until && server_.others_inside(rank))
    each.explain_until =
        clock::now() + (outlives_deaths_ ? explain_grace_if_others_go_on : explain_grace);
}

void job::aborted(am_rank rank, int exit_status, std::string line) {
  // It is writing its last words and ends by itself.
  fail(verdict_.aborted(rank, server_.joined_pid(rank), exit_status, line), rank);
}

void job::failed(int exit_status, std::string line) { fail(verdict_.failed(exit_status, line)); }

void job::lost_output(int error) {
  fail(verdict_.failed(1, base::format("cannot write standard output: {}", std::strerror(error))));
}

void job::stalled(std::string line) { tell(line); }

void job::tell(const std::optional<std::string>& line) {
  if (line) errors_.say(tools::own_line("am-run", *line));
}

void job::fail(const std::optional<std::string>& line, std::optional<am_rank> spare) {
  tell(line);
  if (!ending_) end_others(SIGTERM, failure_grace, spare);
}

}  // namespace am::detail::run
