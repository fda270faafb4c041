// The module: makes the transport, or reports why it cannot.
#include <libam/base/library_start_guard.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/version.hpp>
#include <libam/seam/module.hpp>
#include <transports/ucx/ucx.hpp>
#include <transports/ucx/ucx_logging.hpp>

namespace am::detail::ucx {

std::unique_ptr<seam::transport> make(const seam::transport_context& context, std::string& why) {
  base::set_log(context.settings.log, context.rank);  // this module has a log of its own
  redirect_ucx_log();
  using base::wait_mode;
  const bool sleeps =
      context.settings.wait == wait_mode::block || context.settings.wait == wait_mode::automatic;
  const base::library_start_guard start_guard;
  const log_capture ucx_log;
  std::unique_ptr<engine> made =
      engine::start(sleeps, context.rank, wire::payload_sizes(context.settings.max_medium), why);
  if (made == nullptr) {
    why = ucx_log.reason(why);
    return nullptr;
  }
  ucx_log.warn();
  return std::make_unique<ucx_transport>(context, std::move(made), start_guard.opened());
}

}  // namespace am::detail::ucx

extern "C" [[gnu::visibility("default")]] const am::detail::seam::module_table*
am_module() noexcept {
  using namespace am::detail;
  static constexpr seam::module_table table{base::version_text, &base::use_error_buffer, &ucx::make,
                                            nullptr};
  return &table;
}
