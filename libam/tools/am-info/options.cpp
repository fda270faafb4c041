// The one file of am-info that knows CLI11.
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

Exit status: 0; 2 bad usage, or a setting that has no valid value)";

class usage_formatter final : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: am-info [-c] [--memory -n N] [--json]\n";
  }
};

int complain(std::string_view text) {
  tools::say("am-info", fmt::format("{} (see am-info --help)", text));
  return bad_usage;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, options& out) {
  CLI::App app{"Tells what libam would do here: settings (the default) and memory."};
  bool transports = false;
  bool bootstrap = false;
  std::string pid;
  app.formatter(std::make_shared<usage_formatter>());
  app.footer(examples);
  app.set_version_flag("--version", fmt::format("am-info {}", base::version_text));
  app.add_flag("-c,--settings", out.settings, "Every setting, its value and where it comes from");
  app.add_flag("--memory", out.memory, "The shared memory of a job of N ranks on one host");
  app.add_option("-n", out.ranks, "How many ranks (2)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_flag("--json", out.json, "For programs");
  app.add_flag("--transports", transports, "Which transport serves which pair (not built yet)");
  app.add_flag("--bootstrap", bootstrap, "How this process would join (not built yet)");
  app.add_option("PID", pid, "Counters of a running process (not built yet)")->type_name("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& bad) {
    return complain(bad.what());
  }
  if (transports) return complain("--transports is not built yet");
  if (bootstrap) return complain("--bootstrap is not built yet");
  if (!pid.empty()) return complain(fmt::format("{}: asking a process is not built yet", pid));
  if (!out.memory) out.settings = true;
  return std::nullopt;
}

}  // namespace am::detail::info
