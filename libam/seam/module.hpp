// What a module is: a shared object in <libdir>/am that libam loads when it runs, so that libam
// starts on a machine that lacks what the module needs. It is linked with no libam, shared or
// static: the two meet here, in transport.hpp and in boot.hpp only.
#pragma once

#include <libam/base/error.hpp>
#include <libam/seam/boot.hpp>
#include <libam/seam/transport.hpp>

#include <memory>
#include <string>

namespace am::detail::seam {

// Null and one line: it cannot.
using join_job = std::unique_ptr<boot>(const base::settings& settings, std::string& why);

struct module_table {
  // The build that it is of: another one may lay out the classes of the seam in another way.
  const char* version;
  // base::keep_lines_in of the module's own libam/base.
  void (*keep_lines_in)(base::thread_line*) noexcept;
  make_transport* make;  // null: it is no transport
  join_job* join;        // null: it is no way of joining
};

// The one symbol of a module. What it returns is good for as long as the process lives.
using module_entry_fn = const module_table*() noexcept;
inline constexpr char module_entry[] = "am_module";

}  // namespace am::detail::seam
