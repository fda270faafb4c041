#include <libam/base/build.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/base/version.hpp>

namespace am::detail::base {

std::string_view build_version() noexcept { return version_text; }

std::string other_build_text(am_rank rank, std::string_view theirs) {
  std::string text = abbreviate(theirs);
  make_one_line(text);
  return format("join: rank {} is of libam {}, and this is libam {}: give all ranks the same", rank,
                text, build_version());
}

}  // namespace am::detail::base
