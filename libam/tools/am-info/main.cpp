// am-info: what libam would do here.
#include <libam/base/error.hpp>
#include <libam/tools/am-info/options.hpp>
#include <libam/tools/am-info/report.hpp>
#include <libam/tools/messages.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace am::detail::info {
namespace {

constexpr int cannot_read_process = 1;

struct job_result {
  bool good = true;         // a program could join, and each rank reaches each
  bool is_reporter = true;  // this rank reports for all
};

// All ranks run the same code until they have left.
job_result report_on_job(const options& requested, const base::settings& settings,
                         findings& found) {
  std::unique_ptr<seam::boot> job;
  const join_report how = join_and_report(settings, job);
  const bool is_reporter = job == nullptr || job->rank() == 0;
  if (requested.bootstrap) found.bootstrap = how;
  if (job == nullptr) return tools::print_message("am-info", how.failure), job_result{false, true};
  if (!requested.transports) return job->leave(), job_result{true, is_reporter};
  std::string why;
  found.transports = run_survey(std::move(job), settings, why);
  if (!found.transports)
    return tools::print_message("am-info", why), job_result{false, is_reporter};
  return {all_reached(*found.transports), is_reporter};
}

int run_all(int argc, char** argv) {
  options requested;
  if (const auto status = read_options(argc, argv, requested)) return *status;
  base::settings settings;
  const bool valid = base::read_settings(settings) == AM_OK;
  const std::string complaint = valid ? "" : base::error_text();

  findings found;
  job_result seen;
  if (valid && (requested.transports || requested.bootstrap))
    seen = report_on_job(requested, settings, found);
  if (!seen.is_reporter) return seen.good ? 0 : 1;
  for (const std::string& line : base::unknown_settings()) tools::print_message("am-info", line);
  if (!valid) tools::print_message("am-info", complaint);
  if (requested.settings) found.settings = base::effective_settings();
  if (requested.profile) found.profile = report_profile(settings);
  if (requested.pid != 0) {
    std::string why;
    found.process = read_live_ranks(requested.pid, why);
    if (!found.process) return tools::print_message("am-info", why), cannot_read_process;
  }
  if (requested.memory)
    found.memory = memory_use_of(requested.ranks, settings.shm_slots,
                                 wire::payload_sizes(settings.max_medium));
  const std::string text = requested.json ? as_json(found) : as_text(found);
  const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!written) tools::print_message("am-info", "cannot write standard output");
  if (!written) return 1;
  if (!valid) return 2;
  return seen.good ? 0 : 1;
}

}  // namespace
}  // namespace am::detail::info

int main(int argc, char** argv) {
  try {
    return am::detail::info::run_all(argc, argv);
  } catch (const std::exception& broken) {
    am::detail::tools::print_message("am-info", broken.what());
    return 1;
  }
}
