// The one file of am-info that knows CLI11.
#include <libam/tools/am-info/options.hpp>

#include <libam/base/format.hpp>
#include <libam/base/version.hpp>
#include <libam/tools/command_line.hpp>

#include <memory>
#include <string>

namespace am::detail::info {
namespace {

constexpr int bad_usage = 2;

constexpr char examples[] =
    R"(Examples:
  am-info -c                        every setting, its value and where that comes from
  am-info --memory -n 64            what a job of 64 ranks may take of this host's memory
  am-info -c --json | jq .          the same for programs
  am-info --bootstrap               how a program started like this would join its job
  am-info --profile                 what the measured profile chooses, and why
  am-run -n 4 am-info --transports  which transport serves which pair, and why others do not
  am-info 4711                      what the rank of that process does, and waits for

Exit status:
  0  all of it was reported
  1  no job can be joined, a rank cannot reach another, PID is no rank, or output cannot be written
  2  bad usage, or a setting AM_* that has no valid value: the rest is reported all the same)";

class usage_formatter final : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: am-info [-c] [--transports] [--memory -n N] [--bootstrap] [--profile] [--json] "
           "[PID]\n";
  }
};

int complain(std::string_view text) {
  tools::print_message("am-info", base::format("{} (see am-info --help)", text));
  return bad_usage;
}

}  // namespace

void describe(CLI::App& app, options& into) {
  app.name("am-info");
  app.description(
      "Shows what libam would do here: settings (the default), transports, memory and how it "
      "joins; "
      "and what a running rank does.");
  app.formatter(std::make_shared<usage_formatter>());
  app.footer(examples);
  app.set_version_flag("--version", base::format("am-info {}", base::version_text));
  app.add_flag("-c,--settings", into.settings, "Every setting, its value and where it comes from")
      ->disable_flag_override();
  app.add_flag("--memory", into.memory, "The shared memory of a job of N ranks on one host")
      ->disable_flag_override();
  app.add_option("-n", into.ranks, "How many ranks (2)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_flag("--json", into.json, "For programs")->disable_flag_override();
  app.add_flag("--transports", into.transports,
               "Which transport serves which pair of the job's ranks, and why others do not")
      ->disable_flag_override();
  app.add_flag("--bootstrap", into.bootstrap,
               "How this process joins a job, and what the death of a rank does there")
      ->disable_flag_override();
  app.add_flag("--profile", into.profile,
               "What the measured profile of this machine chooses, by which figures (AM_PROFILE)")
      ->disable_flag_override();
  app.add_option("PID", into.pid,
                 "What a running rank waits for, its unanswered requests, and its counters")
      ->type_name("")
      ->check(CLI::Range(1, 1 << 22).description(""));
}

std::optional<int> read_options(int argc, char** argv, options& out) {
  CLI::App app;
  options parsed;
  describe(app, parsed);
  if (const auto status = tools::parse(app, argc, argv, complain)) return status;
  out = parsed;
  if (!out.memory && !out.transports && !out.bootstrap && !out.profile && out.pid == 0)
    out.settings = true;
  return std::nullopt;
}

}  // namespace am::detail::info
