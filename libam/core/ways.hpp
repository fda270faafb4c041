// The transports that there are, best first.
#pragma once

#include <libam/seam/transport.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace am::detail::core {

struct known_transport {
  std::string_view name;
  seam::make_transport* make;  // null: it is a module
  bool for_networks = false;   // on one host it serves who asks for it, or has nothing better
  bool of_others = false;      // a module that libam does not know: nothing but its name
};

std::span<const known_transport> known_transports() noexcept;

// The same, and behind them the modules of others that AM_TRANSPORT's `list` names.
std::vector<known_transport> transports_with(std::string_view list);

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

// A name in `list` that no transport has, and no module in the folders of `module_path`, is
// argument(setting).
am_status check_names(std::string_view list, std::string_view module_path);

}  // namespace am::detail::core
