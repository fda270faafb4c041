#include <libam/core/use_profile.hpp>

#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/text.hpp>
#include <libam/core/known_transports.hpp>
#include <libam/profile/lookup.hpp>

#include <algorithm>
#include <string>

namespace am::detail::core {
namespace {

// The transport of the first messages between two ranks of this host; empty: there is none.
std::string_view network_of(const transport_set& transports) {
  const auto carries = [](const transport_set::candidate& one) {
    return one.transport != nullptr && one.name != "self";
  };
  const auto best = std::ranges::find_if(transports.all(), carries);
  return best == transports.all().end() ? std::string_view{} : std::string_view(best->name);
}

std::string not_connected() {
  return base::format("ranks of this host are not connected by {}", profile::of_transport);
}

}  // namespace

std::string why_unused(const base::settings& settings) {
  if (settings.dial.set) return "AM_DIAL changes what messages cost";
  return is_allowed(settings.transport, profile::of_transport) ? "" : not_connected();
}

profile::answers choose_by_profile(const base::settings& settings, const seam::boot& job,
                                   const transport_set& transports) {
  const std::string& from = settings.profile;
  if (job.rank() != 0 || from == "off") return {};
  const bool is_named = from != profile::automatic;
  if (job.ranks() == 1 && !is_named) return {};
  const auto unused = [&](std::string_view why) {
    if (is_named)
      base::log(base::log_level::warn, "AM_PROFILE={} is not used: {}", base::abbreviate(from),
                why);
    else
      base::log(base::log_level::info, "no measured profile is used: {}", why);
    return profile::answers{};
  };
  if (!job.one_host()) return unused("the job is on several hosts");
  if (const std::string why = why_unused(settings); !why.empty()) return unused(why);
  const std::string_view network = network_of(transports);
  if (network != profile::of_transport) return unused(not_connected());

  const profile::finding one = profile::look_up(from, network);
  const std::string& why = one.found.why_not;
  if (!why.empty())
    return unused(is_named || one.file.empty() ? why : base::format("{}: {}", one.file, why));
  base::log(base::log_level::info, "the measured profile {} is used, for {}", one.file, network);
  return profile::choose(*one.found.costs);
}

}  // namespace am::detail::core
