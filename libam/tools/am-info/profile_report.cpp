#include <libam/tools/am-info/profile_report.hpp>

#include <libam/base/format.hpp>
#include <libam/core/idle_policy.hpp>
#include <libam/core/use_profile.hpp>
#include <libam/profile/lookup.hpp>
#include <libam/wire/frame.hpp>
#include <transports/shm/copy.hpp>

#include <utility>

namespace am::detail::info {
namespace {

constexpr unsigned compared_ranks = 4;

void add_choices(const profile::figures& costs, profile_of_transport& to) {
  const profile::answers chosen = profile::choose(costs);
  const profile::answers otherwise{};
  for (const std::size_t bytes : profile::broadcast_sizes)
    to.broadcasts.push_back({bytes, chosen.flat_ranks_of(bytes), otherwise.flat_ranks_of(bytes),
                             profile::hop_of(costs, bytes)});
  to.barrier = {chosen.direct_barrier_ranks, otherwise.direct_barrier_ranks,
                profile::barrier_hop_of(costs)};
  constexpr unsigned default_us = core::idle_policy::default_spin_us;
  to.spin = {chosen.spin_us != 0 ? chosen.spin_us : default_us, default_us, costs.wake_up};
}

// docs/calibration.md has the measurements.
std::vector<fixed_choice> fixed_choices() {
  return {
      {"larger teams", base::format("tree and rounds above {} ranks", profile::most_flat_ranks),
       "flat has won there as often as it has lost"},
      {"reductions and scans", "a tree", "another shape would give sums other bits"},
      {"bulk copies", base::format("past the caches from {} MiB", shm::past_caches_from >> 20),
       "what is faster depends on whether the data is read there, which no profile knows"},
      {"medium or store", "as the program calls",
       "over shm a store is never slower; over tcp small ones go in messages anyway"},
      {"frames of tcp", base::format("{} KiB", wire::full_frame_bytes >> 10),
       "larger ones take more memory, and slow the largest mediums both ways"},
      {"longest spin", base::format("{} us", core::idle_policy::longest_spin_time.count()),
       "less takes more from round trips than it saves"},
      {"transport", "shm before ucx before tcp",
       "by the measured figures no other order is faster but for a few sizes"},
  };
}

std::string barrier_text(unsigned direct_ranks) {
  return direct_ranks == 0 ? "in rounds" : base::format("direct up to {} ranks", direct_ranks);
}

std::string reason_text(const barrier_choice& one) {
  if (!one.by) return "it is not known what a message takes its receiver";
  constexpr unsigned ranks = 3;  // the fewest for which the two differ
  return base::format(
      "a message takes {:.0f} ns and arrives after {:.0f}: {} ranks need {:.0f} ns, and {:.0f} in "
      "rounds",
      one.by->send, one.by->arrive, ranks, profile::direct_barrier_time(*one.by, ranks),
      profile::barrier_in_rounds_time(*one.by, ranks));
}

std::string reason_text(const spin_choice& one) {
  if (!one.wake_up_ns) return "it was not measured what it takes to wake a rank";
  return base::format("to wake a rank takes {:.1f} us", *one.wake_up_ns / 1e3);
}

std::string shape_text(unsigned flat_ranks) {
  return flat_ranks == 0 ? "a tree" : base::format("flat up to {} ranks", flat_ranks);
}

void add_choice(std::string& out, const broadcast_choice& one) {
  base::append(out, "{:>9}  {:<20}  {:<10}", one.bytes, shape_text(one.flat_ranks),
               shape_text(one.default_flat_ranks));
  if (one.by)
    base::append(out, "  {:>8.0f}  {:>10.0f}  {:>8.0f}  {:>8.0f}", one.by->send, one.by->arrive,
                 profile::flat_time(*one.by, compared_ranks),
                 profile::tree_time(*one.by, compared_ranks));
  out += '\n';
}

}  // namespace

profile_report report_profile(const base::settings& settings) {
  const std::string_view setting = settings.profile;
  const profile::finding one =
      profile::look_up(setting == "off" ? profile::automatic : setting, profile::of_transport);
  profile_of_transport about{
      std::string(profile::of_transport), core::why_unused(settings), {}, {}, {}};
  if (about.why_not.empty()) {
    about.why_not = one.found.why_not;
    if (one.found.costs) add_choices(*one.found.costs, about);
  }
  return {std::string(setting), one.file, {std::move(about)}, fixed_choices()};
}

std::string profile_text(const profile_report& report) {
  std::string out = base::format("profile  {}\n", report.file.empty() ? "none" : report.file);
  base::append(
      out, "setting  AM_PROFILE={}{}\n", report.setting,
      report.setting == "off" ? ": joins read no profile; this is what auto would do" : "");
  for (const profile_of_transport& one : report.transports) {
    base::append(out, "\n{}: {}\n", one.transport,
                 one.why_not.empty() ? "the profile fits" : one.why_not);
    if (one.broadcasts.empty()) continue;
    base::append(out,
                 "{:>9}  {:<20}  {:<10}  {:>8}  {:>10}  {:>18}\n{:>9}  {:<20}  {:<10}  {:>8}  "
                 "{:>10}  {:>8}  {:>8}\n",
                 "broadcast", "", "by", "a send", "until it", "4 ranks, ns", "of bytes", "chosen",
                 "default", "takes ns", "arrives ns", "flat", "tree");
    for (const broadcast_choice& each : one.broadcasts) add_choice(out, each);
    base::append(out, "barrier: {}, by default {}; {}\n", barrier_text(one.barrier->direct_ranks),
                 barrier_text(one.barrier->default_direct_ranks), reason_text(*one.barrier));
    base::append(
        out, "a rank with a CPU of its own spins for {} us before it sleeps, by default {}; {}\n",
        one.spin->us, one.spin->default_us, reason_text(*one.spin));
  }
  out += "\nthe same with every profile, by measurement:\n";
  for (const fixed_choice& one : report.fixed)
    base::append(out, "  {:<20}  {:<29}  {}\n", one.what, one.how, one.why);
  return out;
}

}  // namespace am::detail::info
