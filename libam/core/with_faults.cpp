#include <libam/base/settings.hpp>
#include <libam/core/ways.hpp>

#include <utility>

namespace am::detail::hook {
std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::host& host);
}

namespace am::detail::core {

std::unique_ptr<seam::transport> with_faults(std::unique_ptr<seam::transport> plain,
                                             const seam::host& host) {
  const bool wanted = plain != nullptr && host.settings.fault.any() && plain->name() != "self";
  return wanted ? hook::wrap(std::move(plain), host) : std::move(plain);
}

}  // namespace am::detail::core
