// am-calibrate: tells what communication costs on this machine. The command line.
#include <calib/driver/catalogue.hpp>
#include <calib/driver/peers.hpp>
#include <calib/driver/subject.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

#if __has_include("calib_version.hpp")
#include "calib_version.hpp"
#else
#include <am/types.h>
namespace calib {
inline constexpr char version_text[] = AM_VERSION_STRING;
}
#endif

namespace {

constexpr char about[] = "Tells what communication between processes costs on this machine.";

constexpr char examples[] = R"(Examples:
  am-calibrate peers                      libam beside MPI, UCX and what the machine can do at all
  am-calibrate peers --quick              the same in about a minute, known less well
  am-calibrate peers --json peers.json    the table, and everything in a file
  am-calibrate peers --json - | jq .rows  everything, for a program
  am-calibrate peers --layers limit-line,am-shm

Every layer is a program of its own, takes its turn in every round, and is compared with the others
within that round. In the table a figure is the median over the rounds, and the interval behind it
holds it with 95 %.

Exit status: 0 good, 1 failed, 2 bad usage, 3 measured but unfit for use (it says why), 130 stopped
(what had been measured until then is written all the same).)";

struct arguments {
  bool quick = false;
  unsigned rounds = 0;
  unsigned samples = 0;
  std::string transport = "shm";
  std::vector<std::string> layers;
  std::vector<std::size_t> bytes;
  std::string json;
  std::uint64_t seed = 0;
};

void describe_peers(CLI::App& peers, arguments& into) {
  peers.add_flag("--quick", into.quick,
                 "6 to 12 rounds, about a minute, and bulk data of 4 KiB, 64 KiB, 1 MiB and 16 MiB "
                 "alone; otherwise 10 to 40 rounds of eight sizes");
  peers.add_option("--transport", into.transport, "Which transports, separated by commas: shm")
      ->type_name("LIST");
  peers.add_option("--layers", into.layers, "Only these layers")->delimiter(',')->type_name("LIST");
  peers
      .add_option("--bytes", into.bytes, "Bulk data of these sizes only, 4096 to 67108864; 0: none")
      ->delimiter(',')
      ->type_name("LIST");
  peers.add_option("--json", into.json, "Write everything to FILE, or instead of the table (-)")
      ->type_name("FILE|-");
  peers.add_option("--rounds", into.rounds, "Exactly so many rounds")->check(CLI::Range(1, 1000));
  peers.add_option("--samples", into.samples, "So many samples of each probe in each launch")
      ->check(CLI::Range(1, 10000));
  peers.add_option("--seed", into.seed,
                   "Of the order within the rounds; chosen and recorded otherwise");
  peers.footer(examples);
}

int refuse(const std::string& line) {
  std::fprintf(stderr, "am-calibrate: %s\n", line.c_str());
  return calib::bad_usage;
}

// What is asked for and cannot be given; empty: all is well.
std::string objection(const arguments& from) {
  for (const std::string& name : CLI::detail::split(from.transport, ',')) {
    if (name == "tcp" || name == "ucx") return "transport " + name + ": not built yet; shm is";
    if (name != "shm") return "unknown transport '" + name + "'; there is shm";
  }
  std::string known;
  for (const std::string& layer : calib::layers_of_shm()) known += ' ' + layer;
  for (const std::string& layer : from.layers)
    if ((known + ' ').find(' ' + layer + ' ') == std::string::npos)
      return "unknown layer '" + layer + "'; there are" + known;
  if (from.bytes == std::vector<std::size_t>{0}) return {};
  for (const std::size_t bytes : from.bytes)
    if (std::ranges::find(calib::bulk_sizes, bytes) == std::end(calib::bulk_sizes))
      return "bulk data of " + std::to_string(bytes) +
             " bytes; there are 4096 and four times as many each, up to 67108864";
  return {};
}

int run_peers(const arguments& from) {
  if (const std::string line = objection(from); !line.empty()) return refuse(line);
  calib::peers_request request{
      from.quick ? calib::quick_plan() : calib::full_plan(), from.layers, {}};
  if (!from.json.empty()) request.json = from.json;
  if (!from.bytes.empty()) request.planned.bytes = from.bytes;
  std::erase(request.planned.bytes, 0U);
  if (from.rounds > 0) request.planned.least = request.planned.most = from.rounds;
  if (from.samples > 0) request.planned.samples = request.planned.trial_samples = from.samples;
  request.planned.seed = from.seed != 0 ? from.seed : std::random_device{}();
  return calib::peers(request);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(about, "am-calibrate");
  arguments from;
  app.set_version_flag("--version", std::string("am-calibrate ") + calib::version_text);
  app.footer(examples);
  CLI::App* peers = app.add_subcommand("peers", "libam beside its peers and the machine's limits");
  describe_peers(*peers, from);
  for (const char* later : {"run", "show", "compare", "export"})
    app.add_subcommand(later, "not built yet")->allow_extras();
  app.allow_extras();

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "; am-calibrate --help tells more");
  }
  if (peers->parsed()) return run_peers(from);
  for (const CLI::App* later : app.get_subcommands())
    return refuse(later->get_name() + ": not built yet; peers is");
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty())
    return refuse("cannot read '" + extras.front() + "'; am-calibrate --help tells more");
  return refuse("run: not built yet; peers is");
}
