// The course of a job, in order.
#include <libam/tools/am-run/job/job.hpp>

#include <libam/base/format.hpp>
#include <libam/tools/am-run/ranks/orphans.hpp>
#include <libam/tools/am-run/ranks/preparation.hpp>
#include <libam/tools/am-run/remote/agent_command.hpp>
#include <libam/tools/messages.hpp>

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

constexpr auto failure_grace = 500ms;  // the job ends within a second of a death
constexpr auto stop_grace = 3s;
constexpr auto give_up_grace = 5s;  // for another host, after its ranks should have been killed

bool are_one_file(int one, int other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

job::job(const options& requested, launch_plan plan, const base::settings& settings)
    : requested_(requested),
      settings_(settings),
      output_(loop_, STDOUT_FILENO, requested.label, [this](int error) { on_output_error(error); }),
      errors_(loop_, STDERR_FILENO, requested.label, [](int) {}),  // it cannot be reported
      verdict_(requested.check),
      supervisor_(*this, hosts_, verdict_, requested.ranks, settings.outlives_deaths,
                  settings.stall_warn) {
  if (are_one_file(STDOUT_FILENO, STDERR_FILENO)) sink::share_file(output_, errors_);
  loop_.watch(signals_.fd(), EPOLLIN, [this] { read_signals(); });
  for (const host_group& each : groups_of(requested.hosts))
    each.front().is_local ? add_local_host(each.front(), plan) : add_remote_hosts(each);
}

void job::add_local_host(const placed_host& here, launch_plan plan) {
  // Orphans of the ranks become children of am-run, so that none is left behind.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  plan.signal_mask = signals_.original_mask();
  auto made = std::make_unique<local_host>(
      here.name, loop_, supervisor_, std::move(plan),
      [this](am_rank rank, base::fd output, base::fd errors) {
        output_.add(rank, std::move(output));
        errors_.add(rank, std::move(errors));
      },
      settings_.shm_dir);
  local_ = made.get();
  hosts_.add(std::move(made));
}

void job::add_remote_hosts(host_group there) {
  auto made = std::make_unique<remote_host>(loop_, supervisor_, make_order(requested_, there),
                                            output_, errors_, settings_.peer_timeout);
  remote_.push_back(made.get());
  hosts_.add(std::move(made));
}

int job::run() {
  start_all();
  work_until_all_ended();
  // After a signal ranks may not have been started, and hosts may have been given up.
  if (!supervisor_.all_ended() && !requested_.check) (void)verdict_.record_failure(1, {});
  if (local_ != nullptr) kill_orphans([this](pid_t pid) { return hosts_.has_child(pid); });
  drain_output();
  return verdict_.exit_status();
}

// The other hosts first: they take longer.
void job::start_all() {
  for (remote_host* each : remote_)
    if (!ending_)
      each->start(agent_command(requested_.rsh, each->name(), requested_.prefix),
                  requested_.original_environment, signals_.original_mask());
  if (local_ == nullptr || ending_) return;
  local_->start([this] {
    loop_.run_once(0);
    check_timers();
  });
}

void job::work_until_all_ended() {
  while (hosts_.any_working()) {
    loop_.run_once(next_timeout());
    check_timers();
  }
}

int job::next_timeout() const {
  std::optional<clock::time_point> next = supervisor_.next_deadline();
  for (const auto& when : {kill_at_, give_up_at_, output_.long_line_deadline(),
                           errors_.long_line_deadline(), hosts_.next_deadline()})
    if (when && (!next || *when < *next)) next = when;
  if (!next) return -1;
  return std::min(base::milliseconds_until(*next), 60000);
}

void job::check_timers() {
  const auto now = clock::now();
  if (kill_at_ && now >= *kill_at_) {
    hosts_.end_ranks(SIGKILL);
    kill_at_.reset();
    give_up_at_ = now + give_up_grace;
  }
  if (give_up_at_ && now >= *give_up_at_) {
    hosts_.abandon();
    give_up_at_.reset();
  }
  supervisor_.check_timers(now);
  output_.cut_long_line(now);
  errors_.cut_long_line(now);
  hosts_.check_deadlines(now);
}

void job::read_signals() {
  while (const auto note = signals_.next()) {
    switch (note->number) {
      case SIGCHLD: hosts_.on_children_ended(reap_children()); break;
      case SIGUSR1:
      case SIGUSR2: hosts_.pass_signal(note->number); break;
      case SIGTSTP: suspend_with_ranks(*note); break;
      default: on_end_signal(*note);
    }
  }
}

void job::on_end_signal(const received_signal& note) {
  if (ending_) {  // the second signal
    stop_now_ = true;
    hosts_.end_ranks(SIGKILL);
    hosts_.abandon();
    return;
  }
  verdict_.record_stop(note.number);
  print(base::format("stopped by SIG{}", ::sigabbrev_np(note.number)));
  end_others(note.number, stop_grace, note.from_terminal, {});
}

// A stop from the terminal has reached the ranks of this host, too; any other is passed on, as is
// the continue.
void job::suspend_with_ranks(const received_signal& note) {
  hosts_.pass_signal(SIGTSTP, note.from_terminal);
  signals::apply_default_action(SIGTSTP);
  hosts_.pass_signal(SIGCONT);
}

void job::on_output_error(int error) {
  fail(verdict_.record_failure(
           1, base::format("cannot write standard output: {}", std::strerror(error))),
       {});
}

void job::print(const std::optional<std::string>& line) {
  if (line) errors_.add_own_line(tools::format_message("am-run", *line));
}

void job::fail(const std::optional<std::string>& line, std::optional<am_rank> spare) {
  print(line);
  if (!ending_ && !requested_.check) end_others(SIGTERM, failure_grace, false, spare);
}

}  // namespace am::detail::run
