#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>

#include <algorithm>
#include <cmath>

namespace am::detail::dial {
std::unique_ptr<seam::message_hooks> make_network(const seam::transport_context& context,
                                                  am_status& status);
}

namespace am::detail::core {

namespace {

// A flood sends W requests in the time of a round trip, so a long latency makes its gap longer
// unless W is large.
void warn_of_window(const base::settings& of) {
  constexpr double least_gap = 400;  // ns: a dialled message takes about so much by itself
  const base::dials& dial = of.dial;
  const auto whole = [](double gap, bool added) { return added ? least_gap + gap : gap; };
  const double gap = std::max({least_gap, whole(dial.g_s, dial.added_g_s),
                               whole(dial.g_r, dial.added_g_r), dial.o_s, dial.o_r});
  const double needed = std::ceil(2 * dial.L / gap);
  if (needed > of.credits)
    base::log(
        base::log_level::warn,
        "AM_DIAL: with L={:.0f}ns a flood of small messages needs AM_CREDITS={:.0f} ({} at most) "
        "and has {}: its messages will be {:.0f} ns apart",
        dial.L, needed, base::most_credits, of.credits, 2 * dial.L / of.credits);
}

}  // namespace

std::unique_ptr<seam::message_hooks> make_dials(const seam::transport_context& context,
                                                am_status& status) {
  if (!context.job.one_host()) {
    status = base::fail(AM_ARGUMENT_SETTING,
                        "AM_DIAL needs all ranks on one host: the clocks of hosts differ by more "
                        "than a dial may err, and {} of {} ranks are on this one",
                        context.job.ranks_here(), context.ranks);
    return nullptr;
  }
  if (context.rank == 0) {
    base::log(base::log_level::info, "AM_DIAL is set: messages cost more than by themselves");
    warn_of_window(context.settings);
  }
  return dial::make_network(context, status);
}

}  // namespace am::detail::core
