#include <transports/ucx/ucx_logging.hpp>

#include <libam/base/format.hpp>
#include <libam/base/log.hpp>

#include <ucs/debug/log_def.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace am::detail::ucx {

namespace {

// Per thread, because UCX has threads of its own that may log, too.
thread_local bool captures = false;
thread_local std::array<char, 512> captured_line{};

// UCX's line about settings that none of its transports in use has: those of its TCP, which
// engine.cpp sets without knowing whether TCP is in use.
bool is_about_unused_settings(std::string_view format) noexcept {
  return format.starts_with("invalid configuration");
}

ucs_log_func_rc_t on_log_line(const char*, unsigned, const char*, ucs_log_level_t level,
                              const ucs_log_component_config_t*, const char* format,
                              std::va_list values) noexcept {
  if (is_about_unused_settings(format)) return UCS_LOG_FUNC_RC_STOP;
  const bool fatal = level == UCS_LOG_LEVEL_FATAL;
  std::array<char, 512> text;
  std::vsnprintf(text.data(), text.size(), format, values);
  if (captures)
    captured_line = text;
  else
    base::log(fatal ? base::log_level::error : base::log_level::info, "UCX: {}", text.data());
  return UCS_LOG_FUNC_RC_STOP;
}

bool is_set_by_user(const char* name) noexcept { return std::getenv(name) != nullptr; }

}  // namespace

void redirect_ucx_log() noexcept {
  static const bool once = [] {
    if (!is_set_by_user("UCX_LOG_LEVEL") && !is_set_by_user("UCX_LOG_FILE"))
      ucs_log_push_handler(&on_log_line);
    return true;
  }();
  (void)once;
}

log_capture::log_capture() noexcept {
  captured_line = {};
  captures = true;
}

log_capture::~log_capture() { captures = false; }

void log_capture::warn() const noexcept {
  if (captured_line[0] != '\0') base::log(base::log_level::warn, "UCX: {}", captured_line.data());
}

std::string log_capture::reason(std::string call) const {
  return captured_line[0] == '\0' ? call : call + ": " + captured_line.data();
}

}  // namespace am::detail::ucx
