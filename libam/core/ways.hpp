// The transports that there are, best first.
#pragma once

#include <libam/seam/transport.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace am::detail::core {

struct known_transport {
  std::string_view name;
  seam::make_transport* make;  // null: it is a module
  bool for_networks = false;   // on one host it serves who asks for it, or has nothing better
};

std::span<const known_transport> known_transports() noexcept;

// If AM_FAULT names faults: rank 0 says by which seed they come again, and draws it if it must.
void announce_faults(const seam::host& host);

// The same transport with AM_FAULT's faults in it, if there are any. A rank does itself no harm.
std::unique_ptr<seam::transport> with_faults(std::unique_ptr<seam::transport> plain,
                                             const seam::host& host);

// Does AM_TRANSPORT's `list` allow this one? "shm,tcp" names those allowed, and self, which reaches
// nobody else, is always one of them; "^shm" names those that are not; empty allows all.
bool allowed(std::string_view list, std::string_view name) noexcept;

// Does the list ask for it?
bool names(std::string_view list, std::string_view name) noexcept;

// A name in `list` that no transport has is argument(setting).
am_status check_names(std::string_view list);

}  // namespace am::detail::core
