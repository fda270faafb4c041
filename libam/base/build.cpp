#include <libam/base/build.hpp>

#include <libam/base/version.hpp>

namespace am::detail::base {

std::string_view build_version() noexcept { return version_text; }

}  // namespace am::detail::base
