// am-info: what libam would do here.
#include <libam/base/error.hpp>
#include <libam/tools/am-info/options.hpp>
#include <libam/tools/am-info/report.hpp>
#include <libam/tools/words.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace am::detail::info {
namespace {

constexpr int cannot_look = 1;

struct look_at_job {
  bool good = true;     // a program could join, and each rank reaches each
  bool is_told = true;  // here: one rank tells for all
};

// All ranks do the same until they have left.
look_at_job look_into_job(const options& wanted, const base::settings& settings, findings& found) {
  std::unique_ptr<seam::boot> job;
  const joining how = join_as_started(settings, job);
  const bool is_told = job == nullptr || job->rank() == 0;
  if (wanted.bootstrap) found.bootstrap = how;
  if (job == nullptr) return tools::say("am-info", how.failure), look_at_job{false, true};
  if (!wanted.transports) return job->leave(), look_at_job{true, is_told};
  std::string why;
  found.transports = ask_all(std::move(job), settings, why);
  if (!found.transports) return tools::say("am-info", why), look_at_job{false, is_told};
  return {all_reached(*found.transports), is_told};
}

int tell(int argc, char** argv) {
  options wanted;
  if (const auto status = read_options(argc, argv, wanted)) return *status;
  base::settings settings;
  const bool valid = base::read_settings(settings) == AM_OK;
  const std::string complaint = valid ? "" : base::error_text();

  findings found;
  look_at_job seen;
  if (valid && (wanted.transports || wanted.bootstrap))
    seen = look_into_job(wanted, settings, found);
  if (!seen.is_told) return seen.good ? 0 : 1;
  for (const std::string& line : base::unknown_settings()) tools::say("am-info", line);
  if (!valid) tools::say("am-info", complaint);
  if (wanted.settings) found.settings = base::effective_settings();
  if (wanted.pid != 0) {
    std::string why;
    found.process = look_at(wanted.pid, why);
    if (!found.process) return tools::say("am-info", why), cannot_look;
  }
  if (wanted.memory)
    found.memory =
        use_of(wanted.ranks, settings.shm_slots, wire::payload_sizes(settings.max_medium));
  const std::string text = wanted.json ? as_json(found) : as_text(found);
  const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!written) tools::say("am-info", "cannot write standard output");
  if (!written) return 1;
  if (!valid) return 2;
  return seen.good ? 0 : 1;
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
