// am-info: what libam would do here.
#include <libam/base/error.hpp>
#include <libam/tools/am-info/options.hpp>
#include <libam/tools/am-info/report.hpp>
#include <libam/tools/words.hpp>

#include <cstdio>
#include <exception>

namespace am::detail::info {
namespace {

constexpr int cannot_look = 1;

int tell(int argc, char** argv) {
  options wanted;
  if (const auto status = read_options(argc, argv, wanted)) return *status;
  for (const std::string& line : base::unknown_settings()) tools::say("am-info", line);
  base::settings settings;
  const bool valid = base::read_settings(settings) == AM_OK;
  if (!valid) tools::say("am-info", base::error_text());

  findings found;
  if (wanted.settings) found.settings = base::effective_settings();
  if (wanted.pid != 0) {
    std::string why;
    found.process = look_at(wanted.pid, why);
    if (!found.process) return tools::say("am-info", why), cannot_look;
  }
  if (wanted.memory) found.memory = use_of(wanted.ranks, settings.shm_slots);
  const std::string text = wanted.json ? as_json(found) : as_text(found);
  const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!written) tools::say("am-info", "cannot write standard output");
  if (!written) return 1;
  return valid ? 0 : 2;
}

}  // namespace
}  // namespace am::detail::info

int main(int argc, char** argv) {
  try {
    return am::detail::info::tell(argc, argv);
  } catch (const std::exception& broken) {
    am::detail::tools::say("am-info", broken.what());
    return 1;
  }
}
