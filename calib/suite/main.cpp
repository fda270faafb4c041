// am-suite: runs whole programs over libam and over MPI, and compares them.
#include <calib/driver/option_types.hpp>
#include <calib/driver/output/messages.hpp>
#include <calib/suite/options.hpp>
#include <calib/suite/result.hpp>
#include <calib/suite/sensitivity/study.hpp>

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

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
  const plan quick{3, 0, 3, 12, 165s, 0, {}, {}};
  const plan usual{3, 0, 6, 20, 1800s, 0, {}, {}};
  return from.effort.applied_to(from.quick ? quick : usual);
}

// All programs with one dial take one to two minutes a round.
plan study_plan_for(const suite::arguments& from) {
  const plan quick{3, 0, 3, 12, 480s, 0, {}, {}};
  const plan usual{3, 0, 6, 12, 3600s, 0, {}, {}};
  return from.effort.applied_to(from.quick ? quick : usual);
}
// In seconds, by the models; a launch is three runs, and has two minutes, so that a program may
// take three times as long as its model says.
constexpr double longest_quick_run = 6;
constexpr double longest_run = 12;

// False: a message has said why.
bool measure(const suite::arguments& from, const std::vector<dial>& dials, suite::result& into) {
  if (!dials.empty())
    return suite::take_study(from.selected, dials, study_plan_for(from),
                             from.quick ? longest_quick_run : longest_run, into);
  suite::found_entries found = suite::find_entries(from.selected);
  if (!check_found(found.started_as, "program")) return false;
  into.entries = std::move(found.entries);
  take_measurements(found.started_as, plan_for(from), into, [](const campaign&) { return false; });
  return true;
}

// "" or a complaint.
std::string read_dials(const std::vector<std::string>& from, std::vector<dial>& into) {
  for (const std::string& one : from) {
    dial turned;
    if (std::string complaint = read_dial(one, turned); !complaint.empty()) return complaint;
    if (std::ranges::find(into, turned.name, &dial::name) != into.end())
      return "--dial names " + turned.name + " twice";
    into.push_back(std::move(turned));
  }
  return {};
}

// "" or a complaint; reads the dials.
std::string complaint_about(const suite::arguments& from, std::vector<dial>& dials) {
  for (std::string line :
       {find_unknown("program", from.selected.programs, suite::all_programs()),
        find_unknown("transport", from.selected.transports, suite::all_transports()),
        read_dials(from.dials, dials), find_file_objection(from.html, from.json)})
    if (!line.empty()) return line;
  if (!dials.empty() && std::ranges::count(from.selected.ranks, 1U) > 0)
    return "-n 1 has no messages that --dial could change";
  return {};
}

void set_defaults(suite::selection& selected, bool is_quick, bool is_study) {
  using list = std::vector<unsigned>;
  if (selected.ranks.empty()) selected.ranks = is_study ? list{2} : list{1, 2};
  if (is_study)
    selected.size = is_quick ? "small" : "quick";
  else
    selected.size = is_quick ? "quick" : "normal";
}

exit_status run(suite::arguments from) {
  std::vector<dial> dials;
  if (const std::string line = complaint_about(from, dials); !line.empty()) return refuse(line);
  set_defaults(from.selected, from.quick, !dials.empty());
  std::optional<std::string> file;
  if (!from.json.empty()) file = from.json;
  if (file && !can_write(*file)) return failed;
  if (!from.html.empty() && !can_write(from.html)) return failed;

  suite::result whole;
  whole.input = from.selected.size;
  if (!measure(from, dials, whole)) return failed;
  suite::analyse(whole);
  suite::analyse_study(dials, whole);
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
  if (!app.got_subcommand("predict")) return run(std::move(from));
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0)
      return refuse(option->get_name() + " stands in front of predict: options follow the command");
  return suite::predict(from.predict);
}
