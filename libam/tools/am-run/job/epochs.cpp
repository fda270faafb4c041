// The course of an epoch: its secret, joins, leaves and deaths.
#include <libam/tools/am-run/job/epochs.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/random.hpp>
#include <libam/tools/am-run/job/verdict.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace am::detail::run {

epochs::epochs(rank_commands& commands, failure on_failed, am_rank ranks,
               std::chrono::seconds stall_timeout)
    : commands_(commands),
      on_failed_(std::move(on_failed)),
      stall_timeout_(stall_timeout),
      ranks_(ranks) {}

// Once for each epoch, whichever host asks first: all hosts get it.
void epochs::draw_secret(unsigned epoch) {
  if (epoch != secrets_ + 1) return;
  // A rank that leaves has met all others in a fence, so it is at most one join ahead of them.
  if (epochs_.size() > 1)
    return on_failed_(launch_failed,
                      base::format("a rank begins join {}, and not all have left join {}: it does "
                                   "not keep to the protocol of am-run",
                                   epoch, epochs_.begin()->first));
  seam::job_secret secret;
  if (!base::fill_with_secret(secret))
    return on_failed_(launch_failed, base::format("the job has no secret: getrandom: {}",
                                                  base::errno_text(errno)));
  secrets_ = epoch;
  epoch_state& begun = epochs_[epoch];
  begun.contributions.resize(ranks_.size());
  begun.exit_reports.resize(ranks_.size());
  begun.dead.resize(ranks_.size());
  commands_.set_secret(epoch, secret);
}

void epochs::note_joined(am_rank rank, unsigned epoch, pid_t pid) {
  rank_state& at = ranks_[rank];
  if (at.joined || epoch != at.epoch + 1 || epoch > secrets_) return;
  at.joined = true;
  at.epoch = epoch;
  at.pid = pid;
}

// The epoch that this rank has joined and not completed.
epochs::epoch_state* epochs::current(am_rank rank, unsigned epoch) {
  const rank_state& at = ranks_[rank];
  const auto found = epochs_.find(epoch);
  return at.joined && at.epoch == epoch && found != epochs_.end() ? &found->second : nullptr;
}

void epochs::note_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report) {
  if (epoch_state* joined = current(rank, epoch)) joined->exit_reports[rank] = exit_report;
}

void epochs::note_left(am_rank rank, unsigned epoch) {
  epoch_state* joined = current(rank, epoch);
  if (joined == nullptr) return;
  ranks_[rank].joined = false;
  ranks_[rank].completed = epoch;
  ++joined->left;
  erase_if_complete(epoch);
}

void epochs::erase_if_complete(unsigned number) {
  const epoch_state& epoch = epochs_.at(number);
  if (epoch.left + epoch.deaths == ranks_.size()) epochs_.erase(number);
}

bool epochs::others_joined(am_rank rank) const {
  for (am_rank other = 0; other < ranks_.size(); ++other)
    if (other != rank && is_joined(other)) return true;
  return false;
}

bool epochs::retire_rank(am_rank rank) {
  rank_state& at = ranks_[rank];
  const unsigned number = at.epoch;
  if (number != 0 && at.retired_in == number) return true;
  const auto found = epochs_.find(number);
  if (found == epochs_.end() || at.completed == number) return false;
  epoch_state& epoch = found->second;
  const auto present = [](const auto& report) { return report.has_value(); };
  if (!std::ranges::all_of(epoch.exit_reports, present)) return false;
  at.joined = false;
  at.retired_in = number;
  epoch.dead[rank] = true;
  ++epoch.deaths;
  // Its blobs for the current fence are dropped.
  if (epoch.contributions[rank]) --epoch.arrived;
  epoch.contributions[rank].reset();
  commands_.retire(rank, number, *epoch.exit_reports[rank]);
  if (epoch.arrived != 0 && has_all(epoch)) complete_fence(number);
  erase_if_complete(number);
  return true;
}

}  // namespace am::detail::run
