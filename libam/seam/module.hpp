// What a module is: a shared object in <libdir>/am that libam loads when it runs, so that libam
// starts on a machine that lacks what the module needs. It is linked with no libam, shared or
// static: the two meet here and in transport.hpp only.
#pragma once

#include <libam/seam/transport.hpp>

namespace am::detail::seam {

struct module_table {
  // The build that it is of: another one may lay out the classes of the seam in another way.
  const char* version;
  make_transport* make;
};

// The one symbol of a module. What it returns is good for as long as the process lives.
using module_entry_fn = const module_table*() noexcept;
inline constexpr char module_entry[] = "am_module";

}  // namespace am::detail::seam
