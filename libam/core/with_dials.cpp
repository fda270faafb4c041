#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>

#include <utility>

namespace am::detail::dial {
std::unique_ptr<seam::message_dials> make_network(const seam::transport_context& context,
                                                  am_status& status);
}

namespace am::detail::core {

std::unique_ptr<seam::message_dials> make_dials(const seam::transport_context& context,
                                                am_status& status) {
  if (!context.job.one_host()) {
    status = base::fail(AM_ARGUMENT_SETTING,
                        "AM_DIAL needs all ranks on one host: the clocks of hosts differ by more "
                        "than a dial may err, and {} of {} ranks are on this one",
                        context.job.ranks_here(), context.ranks);
    return nullptr;
  }
  if (context.rank == 0)
    base::log(base::log_level::info, "AM_DIAL is set: messages cost more than by themselves");
  return dial::make_network(context, status);
}

std::unique_ptr<seam::transport> with_dials(std::unique_ptr<seam::transport> plain,
                                            seam::message_dials* dials) {
  const bool wanted = plain != nullptr && dials != nullptr && plain->name() != "self";
  return wanted ? dials->wrap(std::move(plain)) : std::move(plain);
}

}  // namespace am::detail::core
