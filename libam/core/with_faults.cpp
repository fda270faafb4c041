#include <libam/base/log.hpp>
#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/ways.hpp>

#include <span>
#include <utility>

namespace am::detail::hook {
std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::host& host);
}

namespace am::detail::core {

void announce_faults(const seam::host& host) {
  if (!host.settings.fault.any() || host.rank != 0) return;
  const std::uint64_t drawn = base::random_word() & 0xffffffff;  // short enough to be typed again
  const std::uint64_t seed = host.settings.fault.seed.value_or(drawn);
  base::log(base::log_level::warn,
            "faults are injected (AM_FAULT): seed={} brings the same ones again", seed);
  (void)host.job.put(base::seed_key, std::as_bytes(std::span(&seed, 1)));
}

std::unique_ptr<seam::transport> with_faults(std::unique_ptr<seam::transport> plain,
                                             const seam::host& host) {
  const bool wanted =
      plain != nullptr && host.settings.fault.of_messages() && plain->name() != "self";
  return wanted ? hook::wrap(std::move(plain), host) : std::move(plain);
}

}  // namespace am::detail::core
