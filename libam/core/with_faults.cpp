#include <libam/base/log.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>

#include <span>
#include <utility>

namespace am::detail::hook {
std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::transport_context& context);
}

namespace am::detail::core {

void announce_faults(const seam::transport_context& context) {
  if (!context.settings.fault.any() || context.rank != 0) return;
  const std::uint64_t drawn = base::random_word() & 0xffffffff;  // short enough to be typed
  const std::uint64_t seed = context.settings.fault.seed.value_or(drawn);
  base::log(base::log_level::warn, "faults are injected (AM_FAULT): seed={} repeats them", seed);
  (void)context.job.put(base::seed_key, std::as_bytes(std::span(&seed, 1)));
}

std::unique_ptr<seam::transport> with_faults(std::unique_ptr<seam::transport> plain,
                                             const seam::transport_context& context) {
  const bool wanted =
      plain != nullptr && context.settings.fault.affects_messages() && plain->name() != "self";
  return wanted ? hook::wrap(std::move(plain), context) : std::move(plain);
}

}  // namespace am::detail::core
