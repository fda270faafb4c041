#include <calib/suite/options.hpp>

#include <calib/driver/option_types.hpp>

namespace calib::suite {
namespace {

constexpr char examples[] = R"(Examples:
  am-suite --quick                        every program on 2 ranks, within three minutes
  am-suite --only radix -n 2,4            one program, on 2 and on 4 ranks
  am-suite --transport tcp --json -       over the sockets of this machine, for a program
  am-suite --html suite.html              with a page for a browser
  am-suite --quick --dial o=1us..100us    by how much dearer messages slow each program down
  am-suite predict study.json --on other.json   what they would take on another machine, of which
                                          that is the profile (am-calibrate keeps one)
  am-suite predict study.json --over tcp --check   on this one over tcp; and the programs are run
                                          over shm with messages that are as dear

Each launch of a program is a job of its own and takes its turn in every round; programs are
compared with each other within a round. In the tables a figure is the median over the rounds, and
the interval behind it holds it with 95 %.

Exit status:
  0    every program ended with the right result
  1    one did not
  2    bad usage; predict: a file that cannot be read, or a profile without that transport
  3    not measured: this machine has one CPU
  130  stopped: what had been measured until then is written all the same)";

void describe_effort(CLI::App& command, effort& into) {
  command.add_option("--rounds", into.rounds, "The exact number of rounds, 1 to 1000")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  command
      .add_option("--seed", into.seed,
                  "Seed of the order within the rounds; by default random, and recorded")
      ->type_name("N")
      ->check(CLI::Validator(check_whole_number, ""));
}

void describe_predict(CLI::App& predict, predict_arguments& into) {
  predict.add_option("STUDY", into.study, "A file that am-suite --dial ... --json has written")
      ->required()
      ->type_name("");
  predict.add_option("--on", into.on, "The profile of the other machine; by default this one's")
      ->type_name("PROFILE");
  predict.add_option("--over", into.over, "The transport there; by default that of the study")
      ->type_name("TRANSPORT");
  predict
      .add_option("--profile", into.profile,
                  "The profile of this machine; by default the one that am-calibrate keeps")
      ->type_name("PROFILE");
  as_list(predict.add_option("--only", into.programs, "Only these programs"));
  predict
      .add_flag("--check", into.check,
                "Also run the programs here, with messages that AM_DIAL makes as dear as there")
      ->disable_flag_override();
  predict.add_option("--json", into.json, "Write everything to FILE, or instead of the table (-)")
      ->type_name("FILE|-");
  describe_effort(predict, into.effort);
  predict.footer(examples);
}

}  // namespace

void describe(CLI::App& app, arguments& into) {
  app.name("am-suite");
  app.description("Runs whole programs over libam and over MPI, and compares them.");
  app.set_version_flag("--version", std::string("am-suite ") + version_text);
  app.footer(examples);
  app.add_flag("--quick", into.quick,
               "Small inputs, 3 to 12 rounds: within three minutes; within nine with one --dial")
      ->disable_flag_override();
  as_list(app.add_option("-n", into.selected.ranks,
                         "Numbers of ranks, 1 to 64; by default 1, beside the serial references, "
                         "and 2"))
      ->check(CLI::Range(1, 64).description(""));
  as_list(app.add_option("--transport", into.selected.transports,
                         "Only these transports: shm, tcp, ucx; by default shm and tcp"));
  as_list(app.add_option("--only", into.selected.programs, "Only these programs"));
  app.add_option("--dial", into.dials,
                 "Turn a dial of AM_DIAL through these values, such as 1us..100us or 5us,20us: o, "
                 "o_s, o_r, L, g, g_s, g_r, or G; may be given again. libam's programs alone, by "
                 "default on 2 ranks over shm")
      ->type_name("NAME=VALUES")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--json", into.json, "Write everything to FILE, or instead of the table (-)")
      ->type_name("FILE|-");
  app.add_option("--html", into.html,
                 "Also write the tables and pictures of them to FILE, for a browser")
      ->type_name("FILE");
  describe_effort(app, into.effort);
  describe_predict(
      *app.add_subcommand("predict", "Say what programs would take on another machine"),
      into.predict);
}

}  // namespace calib::suite
