// The course of an agent: hello, start, its ranks and hosts, their last output, done.
#include <libam/tools/am-run/remote/agent.hpp>

#include <libam/base/build.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>
#include <libam/tools/am-run/job/hosts.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/check.hpp>
#include <libam/tools/am-run/ranks/orphans.hpp>
#include <libam/tools/am-run/ranks/preparation.hpp>
#include <libam/tools/am-run/remote/agent_command.hpp>
#include <libam/tools/am-run/streams/last_output.hpp>
#include <libam/tools/messages.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto order_timeout = 10min;  // am-run may be stopped in the terminal

void set_input(const base::fd& from) { ::dup2(from.get(), STDIN_FILENO); }

base::fd take_stream(int stream) { return base::fd(::fcntl(stream, F_DUPFD_CLOEXEC, 3)); }

}  // namespace

agent::agent()
    : pipe_(
          loop_, boot::most_fenced_bytes + 4096,
          [this](host_frame kind, seam::bytes_view body) { return on_frame(kind, body); },
          [this] { end_at_once(); }),
      output_(loop_, forward_to(output_stream::output)),
      errors_(loop_, forward_to(output_stream::errors)),
      input_(loop_, [this](std::size_t bytes) {
        pipe_.send(make_host_frame(host_frame::input_taken, static_cast<std::uint32_t>(bytes)));
      }) {
  pipe_.open(take_stream(STDIN_FILENO), take_stream(STDOUT_FILENO));
  // What else would be written to standard output is for people.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  set_input(base::fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  loop_.watch(signals_.fd(), EPOLLIN, [this] { read_signals(); });
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

forwarded_output::taker agent::forward_to(output_stream stream) {
  return [this, which = static_cast<std::uint32_t>(stream)](am_rank rank, std::string_view bytes) {
    pipe_.send(make_host_frame(host_frame::output, rank, which, bytes));
  };
}

forwarded_output* agent::stream_of(std::uint32_t which) {
  if (which == static_cast<std::uint32_t>(output_stream::output)) return &output_;
  return which == static_cast<std::uint32_t>(output_stream::errors) ? &errors_ : nullptr;
}

int agent::run() {
  pipe_.send(make_host_frame(host_frame::hello, hello_magic, host_protocol_version,
                             base::build_version()));
  const auto end = clock::now() + order_timeout;
  while (!has_order()) {
    loop_.run_once(1000);
    if (clock::now() <= end) continue;
    tools::print_message("am-run",
                         base::format("no order has come here for {} min", order_timeout.count()));
    return launch_failed;
  }
  work();
  pipe_.send(make_host_frame(host_frame::all_ended));
  kill_orphans([this](pid_t pid) { return hosts_.has_child(pid); });
  drain_output();
  pipe_.send(make_host_frame(host_frame::done));
  while (!pipe_.all_sent()) wait(1000);
  return 0;
}

// The hosts below first: they take longer.
void agent::work() {
  for (remote_host* each : below_)
    if (!each->is_finished())  // an order to end may have come with `start`
      each->start(agent_command(order_.rsh, each->name(), order_.prefix), original_environment_,
                  signals_.original_mask());
  if (local_ != nullptr) local_->start([this] { wait(0); });
  set_input(base::fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));  // only rank 0 has the pipe now
  while (hosts_.any_working()) wait(1000);
}

// This process itself may have been stopped for longer.
void agent::wait(int milliseconds) {
  for (const auto next : {hosts_.next_deadline(), up_.gatherer.deadline()})
    if (next) milliseconds = std::min(milliseconds, base::milliseconds_until(*next));
  loop_.run_once(milliseconds);
  up_.gatherer.send_if_due(clock::now());
  hosts_.check_deadlines(clock::now());
  if (!stopped_ && clock::now() > pipe_.last_heard() + settings_.peer_timeout &&
      !pipe_.has_unread())
    end_at_once();
}

void agent::drain_output() {
  wait_for_last_output(
      [this] { return hosts_.all_finished() && output_.done() && errors_.done(); },
      [this] { return output_.congested() || errors_.congested() || !hosts_.all_finished(); },
      [this] { wait(20); });
  hosts_.abandon();
  output_.close_all();
  errors_.close_all();
}

// After a failure there is one line, and no host: what am-run still sends has no effect.
void agent::prepare() {
  up_.own.set_host(order_.hosts.front().name);
  std::size_t ranks = 0;
  for (const placed_host& each : order_.hosts) ranks += each.ranks.size();
  up_.gatherer.expect(ranks);
  preparation what = enter_order(order_, settings_);
  if (!what.problem.empty()) return up_.own.on_failed(what.status, std::move(what.problem));
  if (order_.check != 0) return check_host();
  what = run::prepare(start_of(order_, settings_));
  if (!what.problem.empty()) return up_.own.on_failed(what.status, std::move(what.problem));
  if (!what.message.empty()) up_.own.on_message(std::move(what.message));
  if (order_.hosts.front().ranks.has(0)) {
    base::fd input = input_.open();
    if (!input.valid())
      return up_.own.on_failed(launch_failed, base::format("pipe: {}", base::errno_text(errno)));
    set_input(std::move(input));
  }
  add_local_host(std::move(what.plan));
  add_hosts_below();
}

void agent::check_host() {
  const int status = check(start_of(order_, settings_),
                           [this](std::string line) { up_.own.on_message(std::move(line)); });
  if (status != 0) up_.own.on_failed(status, "check: a start would fail");
  add_hosts_below();
}

void agent::add_local_host(launch_plan plan) {
  plan.own_groups = true;
  plan.signal_mask = signals_.original_mask();
  auto made = std::make_unique<local_host>(
      order_.hosts.front().name, loop_, up_.own, std::move(plan),
      [this](am_rank rank, base::fd output, base::fd errors) {
        output_.add(rank, std::move(output));
        errors_.add(rank, std::move(errors));
      },
      settings_.shm_dir);
  local_ = made.get();
  hosts_.add(std::move(made));
}

void agent::add_hosts_below() {
  for (const host_group& each : groups_of(order_.hosts_below())) {
    start_order part = order_;
    part.hosts.assign(each.begin(), each.end());
    auto made = std::make_unique<remote_host>(loop_, up_.below, std::move(part), output_, errors_,
                                              settings_.peer_timeout);
    below_.push_back(made.get());
    hosts_.add(std::move(made));
  }
}

void agent::read_signals() {
  while (const auto note = signals_.next()) {
    switch (note->number) {
      case SIGCHLD: hosts_.on_children_ended(reap_children()); break;
      case SIGUSR1:
      case SIGUSR2: break;
      case SIGTSTP: break;
      default: end_at_once();
    }
  }
}

// The kernel kills the ranks as their parent and their lifelines end.
void agent::end_at_once() {
  hosts_.end_ranks(SIGKILL);
  kill_orphans([](pid_t) { return false; });
  ::_exit(launch_failed);
}

}  // namespace am::detail::run
