// The one file of am-trace that knows CLI11.
#include <libam/tools/am-trace/options.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/base/version.hpp>
#include <libam/tools/command_line.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace am::detail::traces {
namespace {

constexpr int bad_usage = 2;
constexpr double most_dilation = 1000;
constexpr unsigned most_rounds = 1000;

constexpr char examples[] =
    R"(Examples:
  AM_TRACE=/tmp/t am-run -n 2 ./hello       each rank writes a file into that folder
  am-trace show /tmp/t                      what the ranks did, and what took the time
  am-trace states /tmp/t                    computation, delays and overhead of each rank
  am-trace merge /tmp/t -o hello.json       for https://ui.perfetto.dev, messages as arrows
  am-trace merge /tmp/t -o hello.csv        a line for each event
  am-trace merge /tmp/t -o hello.goal       for LogGOPSim
  am-trace dilate -- am-run -n 4 ./prog     what a faster network would bring
  am-trace dilate --within run --factors 1,4 --rounds 9 -- am-run -n 2 ./ring

Traces of several hosts, whose files are in one folder, come out on the time of
rank 0; the output says how far those of other hosts may be off.

Exit status:
  0  done
  1  the traces cannot be read, the output cannot be written, or the program fails
  2  bad usage
  dilate that was stopped prints the rounds that have ended: 130, 143)";

bool is_written(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".csv") || name.ends_with(".goal");
}

void add_within(CLI::App& to, options& into) {
  to.add_option("--within", into.within,
                "Only from the begin of a rank's first span of that name to the end of its last")
      ->type_name("SPAN")
      ->check([](const std::string& name) { return name.empty() ? "must be a name" : ""; });
}

std::string read_factors(std::string_view list, std::vector<double>& into) {
  for (std::string_view rest = list;;) {
    const std::size_t comma = rest.find(',');
    double factor = 0;
    if (!base::read_number(rest.substr(0, comma), factor))
      return base::format("--factors {}: must be numbers with commas between", list);
    into.push_back(factor);
    if (comma == rest.npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

std::string objection_to(const options& to) {
  if (to.factors.front() != 1)
    return base::format("--factors begins with {}: must begin with 1", to.factors.front());
  for (std::size_t i = 1; i < to.factors.size(); ++i)
    if (!(to.factors[i] > to.factors[i - 1]) || to.factors[i] > most_dilation)
      return base::format("--factors has {} behind {}: must ascend, to {} at most", to.factors[i],
                          to.factors[i - 1], most_dilation);
  if (to.rounds == 0 || to.rounds > most_rounds)
    return base::format("--rounds {}: must be 1 to {}", to.rounds, most_rounds);
  return {};
}

// What CLI11 does not see: the command behind the first "--", options of its own included.
std::vector<std::string> words_behind_dashes(int& argc, char** argv) {
  const auto dashes = std::find(argv, argv + argc, std::string_view("--"));
  std::vector<std::string> out;
  if (dashes != argv + argc) out.assign(dashes + 1, argv + argc);
  argc = static_cast<int>(dashes - argv);
  return out;
}

std::optional<int> read_dilation(std::vector<std::string> command, options& out) {
  if (command.empty()) return complain("no command to run: am-trace dilate -- COMMAND");
  out.program = std::move(command);
  std::string why = read_factors(out.factor_list, out.factors);
  if (why.empty()) why = objection_to(out);
  return why.empty() ? std::nullopt : std::optional(complain(why));
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
  add_within(states, into);
  CLI::App& dilate = *app.add_subcommand("dilate",
                                         "Runs the command behind -- with its computation D times "
                                         "as long (AM_DILATE), and prints what "
                                         "a network D times as fast would bring");
  dilate.add_option("--factors", into.factor_list, "The D, ascending from 1")
      ->type_name("LIST")
      ->capture_default_str();
  dilate.add_option("--rounds", into.rounds, "How often it runs with each D; medians count (3)")
      ->type_name("N");
  add_within(dilate, into);
  dilate.add_flag("--json", into.json, "For programs (am-dilation/1)")->disable_flag_override();
}

std::optional<int> read_options(int argc, char** argv, options& out) {
  CLI::App app;
  options parsed;
  describe(app, parsed);
  const bool dilates = argc > 1 && std::string_view(argv[1]) == "dilate";
  std::vector<std::string> command;
  if (dilates) command = words_behind_dashes(argc, argv);
  if (const auto status = tools::parse(app, argc, argv, complain)) return status;
  out = parsed;
  out.what = app.got_subcommand("merge")    ? command::merge
             : app.got_subcommand("states") ? command::states
             : dilates                      ? command::dilate
                                            : command::show;
  if (out.what == command::merge && !is_written(out.output))
    return complain(base::format("-o {}: must end in .json, .csv or .goal", out.output));
  return dilates ? read_dilation(std::move(command), out) : std::nullopt;
}

}  // namespace am::detail::traces
