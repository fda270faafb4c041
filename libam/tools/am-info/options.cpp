// The one file of am-info that knows CLI11.
#include <libam/base/format.hpp>
#include <libam/base/version.hpp>
#include <libam/tools/am-info/options.hpp>
#include <libam/tools/words.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace am::detail::info {
namespace {

constexpr int bad_usage = 2;

constexpr char examples[] =
    R"(Examples:
  am-info -c                   every setting, its value and where that comes from
  am-info --memory -n 64       what a job of 64 ranks may take of this host's memory
  am-info -c --json | jq .     the same for programs
  am-info 4711                 what the rank of that process does, and waits for

Exit status:
  0  told
  1  standard output cannot be written, or that process is no rank that can be read
  2  bad usage, or a setting AM_* that has no valid value: the rest is told all the same)";

class usage_formatter final : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: am-info [-c] [--memory -n N] [--json] [PID]\n";
  }
};

int complain(std::string_view text) {
  tools::say("am-info", base::format("{} (see am-info --help)", text));
  return bad_usage;
}

}  // namespace

void describe(CLI::App& app, command_line& into) {
  app.name("am-info");
  app.description(
      "Tells what libam would do here: settings (the default) and memory; and what a running rank "
      "does.");
  app.formatter(std::make_shared<usage_formatter>());
  app.footer(examples);
  app.set_version_flag("--version", base::format("am-info {}", base::version_text));
  app.add_flag("-c,--settings", into.wanted.settings,
               "Every setting, its value and where it comes from")
      ->disable_flag_override();
  app.add_flag("--memory", into.wanted.memory, "The shared memory of a job of N ranks on one host")
      ->disable_flag_override();
  app.add_option("-n", into.wanted.ranks, "How many ranks (2)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_flag("--json", into.wanted.json, "For programs")->disable_flag_override();
  app.add_flag("--transports", into.transports, "Which transport serves which pair (not built yet)")
      ->disable_flag_override();
  app.add_flag("--bootstrap", into.bootstrap, "How this process would join (not built yet)")
      ->disable_flag_override();
  app.add_option("PID", into.wanted.pid,
                 "What a running rank waits for, what others owe it, and its counters")
      ->type_name("")
      ->check(CLI::Range(1, 1 << 22).description(""));
}

std::optional<int> read_options(int argc, char** argv, options& out) {
  CLI::App app;
  command_line said;
  describe(app, said);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& bad) {
    return complain(tools::usage_line(bad.what()));
  }
  if (said.transports) return complain("--transports is not built yet");
  if (said.bootstrap) return complain("--bootstrap is not built yet");
  out = said.wanted;
  if (!out.memory && out.pid == 0) out.settings = true;
  return std::nullopt;
}

}  // namespace am::detail::info
