#include <libam/tools/am-run/job/host_set.hpp>

#include <algorithm>

namespace am::detail::run {

bool host_set::has(am_rank rank) const {
  return std::ranges::any_of(all_, [&](const auto& one) { return one->ranks().has(rank); });
}

const host& host_set::of(am_rank rank) const {
  return **std::ranges::find_if(all_, [&](const auto& one) { return one->ranks().has(rank); });
}

bool host_set::any_working() const {
  return std::ranges::any_of(all_, [](const auto& one) { return one->is_working(); });
}

bool host_set::all_finished() const {
  return std::ranges::all_of(all_, [](const auto& one) { return one->is_finished(); });
}

void host_set::end_ranks(int signal, bool from_terminal, std::optional<am_rank> spare) {
  for (const auto& one : all_)
    one->end_ranks(from_terminal && one->shares_terminal() ? 0 : signal, spare);
}

void host_set::pass_signal(int signal, bool from_terminal) {
  for (const auto& one : all_)
    if (!from_terminal || !one->shares_terminal()) one->pass_signal(signal);
}

void host_set::on_children_ended(std::span<const ended_child> children) {
  for (const auto& one : all_) one->on_children_ended(children);
}

bool host_set::has_child(pid_t pid) const {
  return std::ranges::any_of(all_, [pid](const auto& one) { return one->has_child(pid); });
}

void host_set::abandon() {
  for (const auto& one : all_) one->abandon();
}

std::optional<host_set::clock::time_point> host_set::next_deadline() const {
  std::optional<clock::time_point> next;
  for (const auto& one : all_) {
    const auto when = one->next_deadline();
    if (when && (!next || *when < *next)) next = when;
  }
  return next;
}

void host_set::check_deadlines(clock::time_point now) {
  for (const auto& one : all_) one->check_deadline(now);
}

void host_set::set_secret(unsigned epoch, const seam::job_secret& secret) {
  for (const auto& one : all_) one->set_secret(epoch, secret);
}

void host_set::send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) {
  for (const auto& one : all_) one->send_fenced(epoch, frame);
}

void host_set::retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) {
  for (const auto& one : all_) one->retire(rank, epoch, exit_report);
}

}  // namespace am::detail::run
