// am-suite: runs whole programs over libam and over MPI, and compares them.
#include <calib/driver/option_types.hpp>
#include <calib/driver/output/messages.hpp>
#include <calib/suite/options.hpp>
#include <calib/suite/result.hpp>

#include <unistd.h>

#include <random>

namespace {

using namespace calib;
using namespace std::chrono_literals;

exit_status refuse(const std::string& line) {
  say(line);
  return bad_usage;
}

// Few launches of several runs each: starting a job takes longer than running it. All programs take
// three quarters of a minute a round, a single one reaches the most rounds.
plan plan_for(const suite::arguments& from) {
  const plan quick{3, 0, 3, 12, 165s, from.seed, {}, {}};
  const plan usual{3, 0, 6, 20, 1800s, from.seed, {}, {}};
  plan out = from.quick ? quick : usual;
  if (from.rounds > 0) out.min_rounds = out.max_rounds = from.rounds;
  if (out.seed == 0) out.seed = std::random_device{}();
  return out;
}

exit_status run(suite::arguments from) {
  for (const std::string& line :
       {find_unknown("program", from.selected.programs, suite::all_programs()),
        find_unknown("transport", from.selected.transports, suite::all_transports())})
    if (!line.empty()) return refuse(line);
  if (from.html == "-") return refuse("--html takes the name of a file, not -");
  if (!from.html.empty() && from.html == from.json)
    return refuse("--json and --html both name " + from.html);
  if (from.selected.ranks.empty()) from.selected.ranks = {1, 2};
  from.selected.size = from.quick ? "quick" : "normal";
  std::optional<std::string> file;
  if (!from.json.empty()) file = from.json;
  if (file && !can_write(*file)) return failed;
  if (!from.html.empty() && !can_write(from.html)) return failed;

  suite::found_entries found = suite::find_entries(from.selected);
  if (!check_found(found.started_as, "program")) return failed;
  suite::result whole;
  whole.entries = std::move(found.entries);
  take_measurements(found.started_as, plan_for(from), whole, [](const campaign&) { return false; });
  suite::analyse(whole);
  // A file that fails keeps nothing else back.
  const bool paged = from.html.empty() || write_text(suite::page_of(whole), from.html);
  const bool written =
      write_result(file, suite::json_of(whole), suite::table_of(whole, may_colour(STDOUT_FILENO)));
  if (!paged || !written) return failed;
  return report_fitness(whole);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  suite::arguments from;
  suite::describe(app, from);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "; am-suite --help tells more");
  }
  return run(std::move(from));
}
