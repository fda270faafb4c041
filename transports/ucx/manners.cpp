#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <transports/ucx/manners.hpp>

#include <ucs/debug/log_def.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace am::detail::ucx {

namespace {

// UCX has threads of its own, which may say something, too.
thread_local bool keeps_lines = false;
thread_local std::array<char, 512> kept_line{};

ucs_log_func_rc_t hear(const char*, unsigned, const char*, ucs_log_level_t level,
                       const ucs_log_component_config_t*, const char* format,
                       std::va_list values) noexcept {
  const bool fatal = level == UCS_LOG_LEVEL_FATAL;
  std::array<char, 512> text;
  std::vsnprintf(text.data(), text.size(), format, values);
  if (keeps_lines)
    kept_line = text;
  else
    base::log(fatal ? base::log_level::error : base::log_level::info, "UCX: {}", text.data());
  return UCS_LOG_FUNC_RC_STOP;
}

bool user_says(const char* name) noexcept { return std::getenv(name) != nullptr; }

}  // namespace

void teach_manners() noexcept {
  static const bool once = [] {
    if (!user_says("UCX_LOG_LEVEL") && !user_says("UCX_LOG_FILE")) ucs_log_push_handler(&hear);
    return true;
  }();
  (void)once;
}

listening::listening() noexcept {
  kept_line = {};
  keeps_lines = true;
}

listening::~listening() { keeps_lines = false; }

void listening::warn() const noexcept {
  if (kept_line[0] != '\0') base::log(base::log_level::warn, "UCX: {}", kept_line.data());
}

std::string listening::why(std::string call) const {
  return kept_line[0] == '\0' ? call : call + ": " + kept_line.data();
}

}  // namespace am::detail::ucx
