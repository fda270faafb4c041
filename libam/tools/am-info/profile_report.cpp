#include <libam/tools/am-info/profile_report.hpp>

#include <libam/base/format.hpp>
#include <libam/core/use_profile.hpp>
#include <libam/profile/lookup.hpp>

#include <utility>

namespace am::detail::info {
namespace {

constexpr unsigned compared_ranks = 4;

std::vector<broadcast_choice> choices_by(const profile::figures& costs) {
  const profile::answers chosen = profile::choose(costs);
  const profile::answers otherwise{};
  std::vector<broadcast_choice> out;
  for (const std::size_t bytes : profile::broadcast_sizes)
    out.push_back({bytes, chosen.flat_ranks_of(bytes), otherwise.flat_ranks_of(bytes),
                   profile::hop_of(costs, bytes)});
  return out;
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
  profile_of_transport about{std::string(profile::of_transport), core::why_unused(settings), {}};
  if (about.why_not.empty()) {
    about.why_not = one.found.why_not;
    if (one.found.costs) about.broadcasts = choices_by(*one.found.costs);
  }
  return {std::string(setting), one.file, {std::move(about)}};
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
  }
  return out;
}

}  // namespace am::detail::info
