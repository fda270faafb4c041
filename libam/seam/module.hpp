// A module: a shared object in <libdir>/am that libam loads at run time, so that libam starts on a
// machine that lacks what the module needs. It is linked with no libam, shared or static: their
// interface is this file, transport.hpp and boot.hpp.
#pragma once

#include <libam/base/error.hpp>
#include <libam/seam/boot.hpp>
#include <libam/seam/transport.hpp>

#include <memory>
#include <string>

namespace am::detail::seam {

// Null and one line: it cannot join.
using join_job_fn = std::unique_ptr<boot>(const base::settings& settings, std::string& why);

struct module_table {
  // The build that it is of: in another build the classes of the seam may have another layout.
  const char* version;
  // base::use_error_buffer of the module's own libam/base.
  void (*use_error_buffer)(base::error_buffer_fn*) noexcept;
  make_transport_fn* make;  // null: it is no transport
  join_job_fn* join;        // null: it is no boot
};

// The one symbol of a module. What it returns stays valid until the process ends.
using module_entry_fn = const module_table*() noexcept;
inline constexpr char module_entry[] = "am_module";

}  // namespace am::detail::seam
