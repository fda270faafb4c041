// The one file of am-dial that knows CLI11.
#include <libam/tools/am-dial/options.hpp>

#include <libam/base/dials.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/base/version.hpp>
#include <libam/tools/command_line.hpp>

#include <memory>

namespace am::detail::dial {
namespace {

constexpr char examples[] =
    R"(DIALS is a list, as AM_DIAL has it:
  L=10us          a message is under way for so long; L=+10us: for so much longer
  o=+1us          the sender and the receiver are busy for longer (o_s, o_r: one of them)
  g=5us           the least time between two messages (g_s, g_r: of a sender, of a receiver)
  G=2ns           the least time of a byte, in messages of more than threshold=256 bytes
  fragment=4096   messages are cut into pieces of so many bytes
  0               nothing is added: what to compare with

Examples:
  am-dial L=10us,o=+1us mpirun -n 2 ./prog       a slower network, and slower processors
  am-dial 0 mpirun -n 2 ./prog                   the same apparatus, with nothing added
  am-dial G=1ns mpirun.mpich -n 4 ./prog         a byte takes a nanosecond or more
  am-dial --mpi mpich L=50us ./start-my-job.sh   where COMMAND is not mpirun or mpiexec

Exit status:
  2    bad usage
  126  COMMAND cannot be executed
  127  COMMAND was not found
  Any other is that of COMMAND.)";

class usage_formatter final : public CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: am-dial [--mpi openmpi|mpich] DIALS COMMAND...\n";
  }
};

std::optional<int> take_words(std::vector<std::string> rest, dial_options& out) {
  if (const auto status = tools::begin_words(rest, reject_usage)) return status;
  if (rest.empty()) return reject_usage("no dials: am-dial DIALS COMMAND");
  out.dials = rest.front();
  base::dials read;
  if (!base::read_dials(out.dials, read))
    return reject_usage(
        base::format("DIALS is {}: must be {}", base::abbreviate(out.dials), base::dials_range));
  if (const std::string why = base::objection_over_mpi(read); !why.empty())
    return reject_usage(base::format("DIALS is {}: {}", base::abbreviate(out.dials), why));
  if (rest.size() == 1) return reject_usage("no command to run: am-dial DIALS COMMAND");
  out.command.assign(rest.begin() + 1, rest.end());
  return std::nullopt;
}

}  // namespace

int reject_usage(std::string_view text) {
  tools::print_message("am-dial", base::format("{} (see am-dial --help)", text));
  return 2;
}

void describe(CLI::App& app, dial_options& into) {
  app.name("am-dial");
  app.description("Runs an MPI program, unchanged, as if its network were slower.");
  app.formatter(std::make_shared<usage_formatter>());
  app.footer(examples);
  app.prefix_command();
  app.set_version_flag("--version", base::format("am-dial {}", base::version_text));
  app.add_option("--mpi", into.mpi,
                 "The MPI that the program uses; default: that of the launcher, COMMAND's first "
                 "word")
      ->type_name("openmpi|mpich")
      ->check(CLI::IsMember({"openmpi", "mpich"}).description(""));
}

std::optional<int> read_options(int argc, char** argv, dial_options& out) {
  CLI::App app;
  dial_options parsed;
  describe(app, parsed);
  if (const auto status = tools::parse(app, argc, argv, reject_usage)) return status;
  out = parsed;
  return take_words(app.remaining(), out);
}

}  // namespace am::detail::dial
