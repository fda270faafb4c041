#include <calib/driver/options.hpp>

#include <calib/driver/option_types.hpp>
#include <calib/driver/terminal/look.hpp>

namespace calib {
namespace {

constexpr char description[] =
    "Measures what communication between processes costs on this machine.";

constexpr char examples[] = R"(Examples:
  am-calibrate                            LogP of every transport: o, L, g, each with its interval
  am-calibrate --quick                    the same within a minute
  am-calibrate --transport tcp --json -   of one transport, everything that was measured, as JSON
  am-calibrate peers                      libam beside MPI, UCX and what the machine can do at all
  am-calibrate peers --quick              the same in some three minutes, known less well
  am-calibrate peers --json peers.json    the table, and everything in a file
  am-calibrate peers --json - | jq .rows  everything, for a program
  am-calibrate peers --layers limit-line,am-shm  libam beside a cache line that bounces, alone
  am-calibrate peers --quick --transport tcp     the same over the sockets of this machine
  am-calibrate dials --transport shm      how exact is AM_DIAL: six tables
  am-calibrate comb --quick               how much processor is left beside messages, in a minute
  am-calibrate comb --layers am-shm,mpich --bytes 300000  of two layers and one size
  am-calibrate comb --html comb.html      the curves as pictures, for a browser
  am-calibrate commtest --quick           which of 21 protocols swaps data best, libam beside MPI
  am-calibrate commtest --full --json commtest.json   every protocol, volume, cache mode and pair
  am-calibrate commtest --curves none --html commtest.html  pictures for a browser alone
  am-calibrate --if-missing --quick       measures once: says where the profile is if it has one
  am-calibrate show                       the table once more, of the profile that was kept
  am-calibrate compare old.json new.json  has anything become worse, as far as intervals can tell?
  am-calibrate export --format csv > all.csv     every figure, for a spreadsheet
  am-calibrate report                     the kept profile as a page for a browser, beside it
  am-calibrate report old.json new.json comb.json -o all.html  two profiles side by side, and COMB

Every transport and every layer is a program of its own and takes its turn in every round; layers
are compared with each other within a round. In the tables a figure is the median over the rounds,
and the interval behind it holds it with 95 %.

Exit status:
  0    good; compare: the same or better
  1    failed; compare: worse; dials: one is less exact than it should be
  2    bad usage; show, compare, export, report: a file that cannot be read
  3    measured but unfit: it says why, and writes what was asked for; --if-missing: busy
  4    --if-missing: this process may use one CPU, and two are needed
  130  stopped: what had been measured until then is written all the same)";

void add_flag(CLI::App& to, const char* name, bool& into, const char* what) {
  to.add_flag(name, into, what)->disable_flag_override();
}

// `table`: what the command writes otherwise, "table" or "tables".
void add_json(CLI::App& to, arguments& into, const char* table) {
  to.add_option("--json", into.json,
                std::string("Write everything to FILE, or instead of the ") + table + " (-)")
      ->type_name("FILE|-");
}

// Of a command whose result is drawn.
void add_pictures(CLI::App& to, arguments& into) {
  to.add_option("--html", into.html,
                "Also write pictures, with the tables of their figures, to FILE, for a browser")
      ->type_name("FILE");
  to.add_option(
        "--curves", into.curves,
        "How to draw curves among the tables: unicode, ascii or none; by default unicode in a "
        "terminal whose locale is UTF-8, ascii elsewhere")
      ->type_name("HOW")
      ->check(CLI::IsMember(terminal::names_of_characters()).description(""));
}

// Numbers of which the command says itself which ones there are.
void add_numbers(CLI::App& to, const char* name, std::vector<std::uint64_t>& into,
                 const char* what) {
  as_list(to.add_option(name, into, what))->check(CLI::Validator(check_whole_number, ""));
}

void describe_effort(CLI::App& command, arguments& into) {
  command.add_option("--rounds", into.rounds, "The exact number of rounds, 1 to 1000")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  command
      .add_option(
          "--samples", into.samples,
          "Samples of each probe in each launch, 1 to 10000; fewer of probes that take long")
      ->type_name("N")
      ->check(CLI::Range(1, 10000).description(""));
  command
      .add_option("--seed", into.seed,
                  "Seed of the order within the rounds; by default random, and recorded")
      ->type_name("N")
      ->check(CLI::Validator(check_whole_number, ""));
}

void describe_run(CLI::App& run, arguments& into) {
  add_flag(run, "--quick", into.quick, "6 to 15 rounds: within a minute");
  add_flag(run, "--full", into.full, "20 rounds, for figures to keep; otherwise 9 to 12");
  as_list(run.add_option(
      "--transport", into.transports,
      "Only these transports: self, shm, tcp, ucx; by default those that libam was built with"));
  add_json(run, into, "table");
  run.add_option("--profile", into.profile,
                 "Keep the profile in FILE, or nowhere (none); otherwise, if the measurement was "
                 "good, in $XDG_STATE_HOME/am/profile.json, root's in /var/lib/am/profile.json")
      ->type_name("FILE|none");
  add_flag(
      run, "--if-missing", into.if_missing,
      "Only if no profile of this machine and libam is kept yet: in FILE, or in the places "
      "where show looks; not while the machine is busy (exit status 3), and not on one CPU (4)");
  describe_effort(run, into);
}

void describe_peers(CLI::App& peers, arguments& into) {
  add_flag(peers, "--quick", into.quick,
           "6 to 12 rounds, about a minute for each transport, and bulk data of 4 KiB, 64 KiB, "
           "1 MiB and 16 MiB alone; otherwise 10 to 40 rounds of eight sizes");
  as_list(peers.add_option(
      "--transport", into.transports,
      "Only these transports: shm, tcp, ucx, or one way of UCX: ucx:posix, ucx:tcp, and ucx:user "
      "alone if UCX_TLS is set; by default those that libam was built with"));
  as_list(peers.add_option("--layers", into.layers, "Only these layers"));
  add_numbers(peers, "--bytes", into.bytes,
              "Bulk data of these sizes only, 4096 to 67108864; 0: none");
  add_json(peers, into, "table");
  describe_effort(peers, into);
}

void describe_dials(CLI::App& dials, arguments& into) {
  add_flag(dials, "--quick", into.quick,
           "Two values of each dial, within a minute; otherwise five or six");
  as_list(dials.add_option("--transport", into.transports,
                           "Only these transports: shm, tcp, ucx; by default shm and tcp"));
  add_json(dials, into, "tables");
  describe_effort(dials, into);
}

void describe_comb(CLI::App& comb, arguments& into) {
  add_flag(comb, "--quick", into.quick,
           "Two sizes, some intervals, and by default shm alone: within a minute");
  add_flag(comb, "--full", into.full, "Every size, depth and interval: an hour or more");
  as_list(comb.add_option("--transport", into.transports,
                          "Only these transports: shm, tcp, ucx, or one way of UCX, as of peers; "
                          "by default those that libam was built with"));
  as_list(comb.add_option("--layers", into.layers, "Only these layers"));
  add_numbers(comb, "--bytes", into.bytes, "Messages of these sizes only, 8 to 10000000");
  add_numbers(comb, "--depths", into.depths,
              "Only these numbers of messages that each process starts, 1 to 64");
  add_json(comb, into, "tables");
  add_pictures(comb, into);
  describe_effort(comb, into);
}

void describe_commtest(CLI::App& commtest, arguments& into) {
  add_flag(commtest, "--quick", into.quick,
           "128KB in five packet counts, two cache modes, within a minute; otherwise all "
           "volumes, packet counts and cache modes of the pair 0-1");
  add_flag(commtest, "--full", into.full, "Also the pairs 0-2 and 0-2+1-3 of four processes");
  as_list(commtest.add_option("--transport", into.transports,
                              "Only these transports: shm, tcp, ucx; by default shm"));
  as_list(
      commtest.add_option("--layers", into.layers, "Only these layers: am-shm, openmpi, mpich"));
  as_list(commtest.add_option("--volume", into.volumes, "Only these volumes: 2MB, 128KB, 8KB"));
  as_list(commtest.add_option("--mode", into.modes,
                              "Only these cache modes: invalidated, initialised, repeated"));
  as_list(commtest.add_option("--pairs", into.pairs,
                              "Only these pairs of processes: 0-1, 0-2, and 0-2+1-3 at the same "
                              "time"));
  add_json(commtest, into, "tables");
  add_pictures(commtest, into);
  describe_effort(commtest, into);
}

void describe_show(CLI::App& show, arguments& into) {
  show.add_option("PROFILE", into.profile_file,
                  "A file written by run; by default the kept profile")
      ->type_name("");
}

void describe_compare(CLI::App& compare, arguments& into) {
  compare.add_option("A", into.before, "The profile to compare with, a file written by run")
      ->required()
      ->type_name("");
  compare.add_option("B", into.after, "The profile to judge")->required()->type_name("");
}

void describe_export(CLI::App& exported, arguments& into) {
  const std::vector<std::string> formats = {"loggopsim", "csv", "netgauge"};
  exported
      .add_option("--format", into.format,
                  "loggopsim: its command lines; csv: a row for each value; netgauge: the tables "
                  "of its pattern loggp")
      ->required()
      ->type_name("loggopsim|csv|netgauge")
      ->check(CLI::IsMember(formats).description(""));
  describe_show(exported, into);
}

void describe_report(CLI::App& report, arguments& into) {
  report
      .add_option("FILE", into.files,
                  "What am-calibrate, am-suite or am-trace wrote by --json; by default the kept "
                  "profile. Two profiles are compared")
      ->type_name("");
  report
      .add_option("-o,--output", into.html,
                  "Where the page goes, or standard output (-); by default report.html beside the "
                  "first FILE")
      ->type_name("FILE|-");
}

}  // namespace

void describe(CLI::App& app, arguments& into) {
  app.name("am-calibrate");
  app.description(description);
  app.set_version_flag("--version", std::string("am-calibrate ") + version_text);
  app.footer(examples);  // and those of the commands
  describe_run(app, into);
  CLI::App& run =
      *app.add_subcommand("run", "Measure LogP of every transport (the default command)");
  describe_run(run, into);
  describe_peers(
      *app.add_subcommand("peers", "Compare libam with its peers and the machine's limits"), into);
  describe_dials(*app.add_subcommand("dials", "Measure how exactly AM_DIAL changes each cost"),
                 into);
  describe_comb(
      *app.add_subcommand("comb", "Measure how much of the processor is left beside messages"),
      into);
  describe_commtest(
      *app.add_subcommand("commtest", "Measure 21 protocols by which two processes swap data"),
      into);
  describe_show(*app.add_subcommand("show", "Show the table of a kept profile"), into);
  describe_compare(
      *app.add_subcommand("compare", "Show what is worse in profile B than in profile A"), into);
  describe_export(*app.add_subcommand("export", "Write a profile in the format of another program"),
                  into);
  describe_report(
      *app.add_subcommand("report", "Write what was measured as one page for a browser"), into);
  app.require_subcommand(0, 1);
  app.allow_extras();  // last: later subcommands would inherit it
}

}  // namespace calib
