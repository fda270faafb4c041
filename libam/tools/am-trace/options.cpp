// The one file of am-trace that knows CLI11.
#include <libam/tools/am-trace/options.hpp>

#include <libam/base/format.hpp>
#include <libam/base/version.hpp>
#include <libam/tools/command_line.hpp>

#include <memory>
#include <string>

namespace am::detail::traces {
namespace {

constexpr int bad_usage = 2;

constexpr char examples[] =
    R"(Examples:
  AM_TRACE=/tmp/t am-run -n 2 ./hello       each rank writes a file into that folder
  am-trace show /tmp/t                      what the ranks did, and what took the time
  am-trace states /tmp/t                    computation, delays and overhead of each rank
  am-trace merge /tmp/t -o hello.json       for https://ui.perfetto.dev, messages as arrows
  am-trace merge /tmp/t -o hello.csv        a line for each event
  am-trace merge /tmp/t -o hello.goal       for LogGOPSim

Traces of several hosts, whose files are in one folder, come out on the time of
rank 0; the output says how far those of other hosts may be off.

Exit status:
  0  done
  1  the traces cannot be read, or the output cannot be written
  2  bad usage)";

bool is_written(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".csv") || name.ends_with(".goal");
}

}  // namespace

int complain(std::string_view text) {
  tools::print_message("am-trace", base::format("{} (see am-trace --help)", text));
  return bad_usage;
}

void describe(CLI::App& app, options& into) {
  app.name("am-trace");
  app.description("Reads the traces that the ranks of a job have written (AM_TRACE=DIR).");
  app.set_version_flag("--version", base::format("am-trace {}", base::version_text));
  app.require_subcommand(1);
  app.footer(examples);  // and those of the commands
  CLI::App& merge = *app.add_subcommand("merge", "Makes one file of the traces of all ranks");
  merge.add_option("DIR", into.folder, "The folder that AM_TRACE named")->required()->type_name("");
  merge.add_option("-o,--output", into.output, "A file that ends in .json, .csv or .goal")
      ->required()
      ->type_name("FILE");
  CLI::App& show = *app.add_subcommand("show", "Prints what the ranks did, and what took the time");
  show.add_option("DIR", into.folder, "The folder that AM_TRACE named")->required()->type_name("");
  show.add_option("--rows", into.rows, "The most rows of a table (12)")->type_name("N");
  CLI::App& states = *app.add_subcommand(
      "states", "Prints how the time of each rank is spread over computation, delays and overhead");
  states.add_option("DIR", into.folder, "The folder that AM_TRACE named")
      ->required()
      ->type_name("");
  states.add_flag("--json", into.json, "For programs (am-states/1)")->disable_flag_override();
}

std::optional<int> read_options(int argc, char** argv, options& out) {
  CLI::App app;
  options parsed;
  describe(app, parsed);
  if (const auto status = tools::parse(app, argc, argv, complain)) return status;
  out = parsed;
  out.what = app.got_subcommand("merge")    ? command::merge
             : app.got_subcommand("states") ? command::states
                                            : command::show;
  if (out.what == command::merge && !is_written(out.output))
    return complain(base::format("-o {}: must end in .json, .csv or .goal", out.output));
  return std::nullopt;
}

}  // namespace am::detail::traces
