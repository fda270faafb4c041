#include <libam/base/version.hpp>
#include <libam/boot/pmix/pmix.hpp>

extern "C" [[gnu::visibility("default")]] const am::detail::seam::module_table*
am_module() noexcept {
  using namespace am::detail;
  static constexpr seam::module_table table{base::version_text, &base::use_error_buffer, nullptr,
                                            &pmix::join};
  return &table;
}
