// The one file of am-run that knows CLI11.
#include <libam/tools/am-run/options.hpp>

#include <libam/base/format.hpp>
#include <libam/base/version.hpp>
#include <libam/tools/command_line.hpp>

#include <memory>

namespace am::detail::run {
namespace {

constexpr char examples[] =
    R"(Examples:
  am-run -n 4 ./hello                 four ranks on this machine
  am-run -n 8 --label ./stress        each line of output begins with its rank: [3] …
  am-run -n 2 --bind none ./sum       let the system choose where ranks run
  am-run -n 2 -x SEED=7 ./sum < data  set a variable for every rank; rank 0 reads the data
  am-run --hosts a:2,b:2 ./hello      four ranks on two hosts; ssh starts am-run there (AM_RSH)

Signals to am-run:
  INT, TERM, HUP, QUIT  end the job; ranks left after 3 s, or at a second signal, are killed
  USR1, USR2            go to every rank
  TSTP                  stops the job, which goes on when am-run does
  KILL                  ends every rank, too, but no process that a rank has started outside libam

Exit status:
  0      every rank ended with 0
  1-255  that of the first rank that failed
  128+S  signal S ended the first rank that failed
  2      bad usage, or a setting AM_* that has no valid value
  125    the launch failed
  126    PROG cannot be executed
  127    PROG was not found)";

class usage_formatter final : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: am-run -n N [OPTIONS] PROG ARGS\n"
           "       am-run --hosts a:2,b [OPTIONS] PROG ARGS\n";
  }
};

std::optional<int> take_command(std::vector<std::string> rest, options& out) {
  if (const auto status = tools::begin_words(rest, reject_usage)) return status;
  if (rest.empty()) return reject_usage("no program to run: am-run -n N PROG ARGS");
  out.command = std::move(rest);
  return std::nullopt;
}

// NAME=VALUE sets it; NAME alone must be set already. Ranks of this host inherit it.
std::optional<int> take_export(const std::string& text, options& out) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) return reject_usage(base::format("-x {}: the name is missing", text));
  if (equals != std::string::npos) {
    ::setenv(name.c_str(), text.c_str() + equals + 1, 1);
  } else if (std::getenv(name.c_str()) == nullptr) {
    return reject_usage(base::format("-x {0}: {0} is not set here; use -x {0}=VALUE", name));
  }
  out.exports.push_back(name);
  return std::nullopt;
}

}  // namespace

int reject_usage(std::string_view text) {
  tools::print_message("am-run", base::format("{} (see am-run --help)", text));
  return 2;
}

void describe(CLI::App& app, command_line& into) {
  app.name("am-run");
  app.description("Starts the N ranks of a job and forwards their output in whole lines.");
  app.formatter(std::make_shared<usage_formatter>());
  app.footer(examples);
  app.set_version_flag("--version", base::format("am-run {}", base::version_text));
  app.prefix_command();
  app.add_option("-n", into.requested.ranks, "How many ranks")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_option("--bind", into.requested.bind,
                 "Bind each rank to a core of its own (core), or not (none)")
      ->type_name("core|none")
      ->check(CLI::IsMember({"core", "none"}).description(""));
  app.add_option("--transport", into.transport, "Transports to use: sets AM_TRANSPORT")
      ->type_name("LIST");
  app.add_flag("--label", into.requested.label,
               "Begin each line of output with the rank it comes from")
      ->disable_flag_override();
  app.add_option("-x", into.exports, "Set this variable for every rank; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->allow_extra_args(false)  // else the program behind it would be taken for one more
      ->take_all();
  app.add_flag("--check", into.requested.check, "Check each stage of a start without running PROG")
      ->disable_flag_override();
  const CLI::Validator not_empty(
      [](const std::string& text) { return text.empty() ? "it is empty" : ""; }, "");
  app.add_option("--hosts", into.hosts,
                 "Hosts to run on, each with its number of ranks (one, if there is none)")
      ->type_name("a:2,b")
      ->check(not_empty);
  app.add_option("--hostfile", into.host_file,
                 "The same in a file: a host on each line, as a, a:2 or a slots=2")
      ->type_name("F")
      ->check(not_empty);
  app.add_option("--map-by", into.map_by,
                 "Fill a host before the next gets ranks (slot), or give each one in turn (node)")
      ->type_name("slot|node")
      ->check(CLI::IsMember({"slot", "node"}).description(""));
  app.add_option("--prefix", into.requested.prefix,
                 "Where libam is installed on the other hosts; default: where it is here")
      ->type_name("DIR");
}

std::optional<int> read_options(int argc, char** argv, options& out) {
  CLI::App app;
  command_line parsed;
  describe(app, parsed);
  if (const auto status = tools::parse(app, argc, argv, reject_usage)) return status;
  out = parsed.requested;
  if (const auto status = take_command(app.remaining(), out)) return status;
  if (parsed.map_by == "node") out.mapping = rank_mapping::by_node;
  out.host_list = parsed.hosts;
  out.host_file = parsed.host_file;
  for (const std::string& text : parsed.exports)
    if (const auto status = take_export(text, out)) return status;
  if (!parsed.transport.empty()) ::setenv("AM_TRANSPORT", parsed.transport.c_str(), 1);
  return std::nullopt;
}

}  // namespace am::detail::run
