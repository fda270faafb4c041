#include <libam/tools/am-run/job/supervisor.hpp>

#include <libam/base/format.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

constexpr auto explain_grace = 1s;
constexpr auto explain_grace_if_others_go_on = 50ms;  // they wait for the report

}  // namespace

supervisor::supervisor(job_control& job, host_set& hosts, verdict& records, am_rank ranks,
                       bool outlives_deaths, std::chrono::seconds stall_timeout)
    : job_(job),
      hosts_(hosts),
      verdict_(records),
      outlives_deaths_(outlives_deaths),
      epochs_(
          hosts, [this](int status, std::string line) { on_failed(status, std::move(line)); },
          ranks, stall_timeout),
      members_(ranks) {}

rank_name supervisor::name_of(am_rank rank, pid_t pid) const {
  return {rank, pid, hosts_.name_of(rank)};
}

bool supervisor::all_ended() const {
  return std::ranges::all_of(members_,
                             [](const member& each) { return each.pid > 0 && !each.alive; });
}

std::optional<supervisor::clock::time_point> supervisor::next_deadline() const {
  auto next = epochs_.next_stall_deadline();
  for (const member& each : members_) {
    if (!each.alive || !each.explain_deadline) continue;
    if (!next || *each.explain_deadline < *next) next = each.explain_deadline;
  }
  return next;
}

void supervisor::check_timers(clock::time_point now) {
  for (am_rank rank = 0; rank < members_.size(); ++rank) {
    member& each = members_[rank];
    if (!each.alive || !each.explain_deadline || now < *each.explain_deadline) continue;
    each.explain_deadline.reset();
    hosts_.of(rank).explain(rank);
  }
  for (const std::string& line : epochs_.report_stalls(now)) job_.print(line);
}

void supervisor::on_started(am_rank rank, pid_t pid) {
  members_[rank].pid = pid;
  members_[rank].alive = true;
}

void supervisor::on_explained(am_rank rank, bool is_gone) {
  if (!members_[rank].alive) return;  // its end has been reported meanwhile
  on_death(death_without_close(
      name_of(rank, epochs_.joined_pid(rank)),
      is_gone ? "it ended without closing its endpoint"
              : "it gave up its endpoint without closing it, and others are in the job"));
}

void supervisor::on_ended(am_rank rank, int wait_status) {
  members_[rank].alive = false;
  const rank_name name = name_of(rank, members_[rank].pid);
  // A rank that had left in good order affects no other, whatever it returns.
  const bool had_left = epochs_.has_left(rank);
  if (wait_status != 0 && !had_left) return on_death(death_of(name, wait_status));
  if (wait_status != 0) job_.print(verdict_.record_bad_end(name, wait_status));
  check_stranded(rank);
}

// Does a rank wait in an epoch that a process which has ended has not completed?
void supervisor::check_stranded(am_rank gone) {
  for (am_rank other = 0; other < members_.size(); ++other) {
    if (!epochs_.is_joined(other) || epochs_.epoch(other) <= epochs_.completed(gone)) continue;
    const bool had_joined = epochs_.epoch(gone) > epochs_.completed(gone);
    const death of = death_without_close(
        name_of(gone, members_[gone].pid),
        had_joined ? "it ended without closing its endpoint"
                   : base::format("it ended without joining, and rank {} waits for it", other));
    // The others can go on without it only if it was in their epoch.
    if (epochs_.epoch(other) == epochs_.epoch(gone)) return on_death(of);
    return job_.fail(verdict_.record_death(of, false), {});
  }
}

// The others end with it, or are notified and go on. They cannot go on where the program still runs
// and only the process that am-run had started around it has ended.
void supervisor::on_death(const death& of) {
  const am_rank rank = of.name.rank;
  member& each = members_[rank];
  const bool is_gone = !epochs_.is_joined(rank) || epochs_.joined_pid(rank) == each.pid;
  const bool others_go_on =
      outlives_deaths_ && !job_.is_ending() && is_gone && epochs_.retire_rank(rank);
  if (!others_go_on) return job_.fail(verdict_.record_death(of, false), {});
  // A rank that had lost its endpoint may end as a process later.
  if (!std::exchange(each.death_reported, true)) job_.print(verdict_.record_death(of, true));
}

// All these ranks are gone before the first of their deaths is handled: none waits for another. The
// status of one that had left in good order stays unknown.
void supervisor::on_host_lost(const rank_set& ranks, std::string how) {
  const std::string& lost = hosts_.name_of(ranks[0]);
  std::vector<am_rank> gone;
  for (const am_rank rank : ranks) {
    if (!std::exchange(members_[rank].alive, false)) continue;
    epochs_.note_lost(rank);
    gone.push_back(rank);
  }
  for (const am_rank rank : gone) {
    const rank_name name = name_of(rank, members_[rank].pid);
    const std::string text =
        name.host == lost ? base::format("its host is lost: {}", how)
                          : base::format("host {}, which reaches its own, is lost: {}", lost, how);
    if (!epochs_.has_left(rank)) {
      on_death(death_without_close(name, text));
    } else {
      job_.print(verdict_.record_unknown_end(name, text));
      check_stranded(rank);
    }
  }
  if (gone.empty()) on_failed(launch_failed, base::format("host {}: {}", lost, how));
}

void supervisor::on_joined(am_rank joined, unsigned epoch, pid_t pid) {
  epochs_.note_joined(joined, epoch, pid);
  for (am_rank rank = 0; rank < members_.size(); ++rank) {
    if (members_[rank].pid > 0 && !members_[rank].alive) check_stranded(rank);
    start_explain_timer(rank);
  }
}

void supervisor::on_lost(am_rank rank) {
  epochs_.note_lost(rank);
  start_explain_timer(rank);
}

// Its process may be about to end, which explains more than the lost connection.
void supervisor::start_explain_timer(am_rank rank) {
  member& each = members_[rank];
  const bool is_lost = epochs_.epoch(rank) > epochs_.completed(rank) && !epochs_.is_joined(rank);
  if (each.alive && is_lost && !each.explain_deadline && epochs_.others_joined(rank))
    each.explain_deadline =
        clock::now() + (outlives_deaths_ ? explain_grace_if_others_go_on : explain_grace);
}

// It is writing its last output and ends by itself.
void supervisor::on_aborted(am_rank rank, int exit_status, std::string line) {
  epochs_.note_lost(rank);
  job_.fail(verdict_.record_abort(name_of(rank, epochs_.joined_pid(rank)), exit_status, line),
            rank);
}

void supervisor::on_failed(int exit_status, std::string line) {
  job_.fail(verdict_.record_failure(exit_status, line), {});
}

}  // namespace am::detail::run
