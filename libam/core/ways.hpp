// The transports that are part of libam, best first.
#pragma once

#include <libam/seam/transport.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace am::detail::core {

struct built_in {
  std::string_view name;
  seam::make_transport* make;
};

std::span<const built_in> built_in_transports() noexcept;

// The same transport with AM_FAULT's faults in it, if there are any. A rank does itself no harm.
std::unique_ptr<seam::transport> with_faults(std::unique_ptr<seam::transport> plain,
                                             const seam::host& host);

// Does AM_TRANSPORT's `list` allow this one? "shm,tcp" names those allowed, "^shm" those that are
// not; empty allows all.
bool allowed(std::string_view list, std::string_view name) noexcept;

// A name in `list` that no transport has is argument(setting).
am_status check_names(std::string_view list);

}  // namespace am::detail::core
