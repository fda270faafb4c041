// The module: makes the transport, or says what is missing.
#include <libam/base/house_rules.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/version.hpp>
#include <libam/seam/module.hpp>
#include <transports/ucx/manners.hpp>
#include <transports/ucx/ucx.hpp>

namespace am::detail::ucx {

std::unique_ptr<seam::transport> make(const seam::host& host, std::string& why) {
  base::set_log(host.settings.log, host.rank);  // this module has a log of its own
  teach_manners();
  using base::wait_mode;
  const bool sleeps =
      host.settings.wait == wait_mode::block || host.settings.wait == wait_mode::automatic;
  const base::house_rules while_it_starts;
  const listening ucx;
  std::unique_ptr<engine> runs =
      engine::start(sleeps, host.rank, wire::payload_sizes(host.settings.max_medium), why);
  if (runs == nullptr) {
    why = ucx.why(why);
    return nullptr;
  }
  ucx.warn();
  return std::make_unique<ucx_transport>(host, std::move(runs));
}

}  // namespace am::detail::ucx

extern "C" [[gnu::visibility("default")]] const am::detail::seam::module_table*
am_module() noexcept {
  using namespace am::detail;
  static constexpr seam::module_table table{base::version_text, &base::keep_lines_in, &ucx::make,
                                            nullptr};
  return &table;
}
