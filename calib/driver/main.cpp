// am-calibrate: tells what communication costs on this machine. What was asked for, and whether it
// can be had.
#include <calib/driver/catalogue.hpp>
#include <calib/driver/compare.hpp>
#include <calib/driver/exports.hpp>
#include <calib/driver/options.hpp>
#include <calib/driver/peers.hpp>
#include <calib/driver/run.hpp>
#include <calib/driver/show.hpp>
#include <calib/driver/subject.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

namespace {

using names = std::vector<std::string>;

int refuse(const std::string& line) {
  std::fprintf(stderr, "am-calibrate: %s\n", line.c_str());
  return calib::bad_usage;
}

bool among(const names& these, const std::string& name) {
  return std::ranges::find(these, name) != these.end();
}

std::string text_of(const names& these) {
  std::string out;
  for (const std::string& name : these) out += ' ' + name;
  return out;
}

names known_transports() {
  names out;
  for (const calib::transport& one : calib::transports()) out.emplace_back(one.name);
  return out;
}

// "ucx" stands for all of its ways that are measured here.
void spell_out_ucx(names& transports) {
  if (!among(transports, "ucx")) return;
  std::erase(transports, "ucx");
  for (const std::string& one : calib::built_transports())
    if (one.starts_with("ucx:") && !among(transports, one)) transports.push_back(one);
}

names layers_over(const names& transports) {
  names out;
  for (const calib::carrier& who : calib::carriers())
    if (among(transports, who.transport) && !among(out, who.layer)) out.push_back(who.layer);
  return out;
}

// What is asked for and cannot be given; empty: all is well.
std::string objection(const calib::arguments& from) {
  for (const std::string& name : from.transports) {
    const names known = known_transports();
    if (!among(known, name)) return "unknown transport '" + name + "'; there are" + text_of(known);
  }
  const names layers = layers_over(from.transports);
  for (const std::string& name : from.layers)
    if (!among(layers, name)) return "unknown layer '" + name + "'; there are" + text_of(layers);
  if (from.bytes == std::vector<std::size_t>{0}) return {};
  for (const std::size_t bytes : from.bytes)
    if (std::ranges::find(calib::bulk_sizes, bytes) == std::end(calib::bulk_sizes))
      return "bulk data of " + std::to_string(bytes) +
             " bytes; there are 4096 and four times as many each, up to 67108864";
  return {};
}

int run_peers(calib::arguments from) {
  if (from.transports.empty()) from.transports = calib::built_transports();
  spell_out_ucx(from.transports);
  if (from.transports.empty()) return refuse("transport ucx: this libam was built without");
  if (const std::string line = objection(from); !line.empty()) return refuse(line);
  calib::peers_request request{
      from.quick ? calib::quick_plan(from.transports) : calib::full_plan(from.transports),
      from.layers,
      {}};
  if (!from.json.empty()) request.json = from.json;
  if (!from.bytes.empty()) request.planned.bytes = from.bytes;
  std::erase(request.planned.bytes, 0U);
  if (from.rounds > 0) request.planned.least = request.planned.most = from.rounds;
  if (from.samples > 0) request.planned.samples = request.planned.trial_samples = from.samples;
  request.planned.seed = from.seed != 0 ? from.seed : std::random_device{}();
  return calib::peers(request);
}

int run_calibration(calib::arguments from) {
  if (from.quick && from.full) return refuse("either --quick or --full");
  const names known = calib::signed_transports();
  if (from.transports.empty()) from.transports = known;
  for (const std::string& name : from.transports)
    if (!among(known, name))
      return refuse("unknown transport '" + name + "'; there are" + text_of(known));
  calib::run_request request{from.quick  ? calib::quick_calibration(from.transports)
                             : from.full ? calib::full_calibration(from.transports)
                                         : calib::usual_calibration(from.transports),
                             {},
                             {}};
  if (!from.json.empty()) request.json = from.json;
  if (!from.profile.empty()) request.profile = from.profile;
  request.all_transports = std::ranges::all_of(
      known, [&](const std::string& name) { return among(from.transports, name); });
  request.usual_effort = from.rounds + from.samples == 0;
  if (from.rounds > 0) {
    request.planned.least = request.planned.most = from.rounds;
    request.planned.peer_rounds = 0;
  }
  if (from.samples > 0) request.planned.samples = from.samples;
  request.planned.seed = from.seed != 0 ? from.seed : std::random_device{}();
  return calib::calibrate(request);
}

int run_command(const std::string& name, const calib::arguments& from) {
  if (name == "show") return calib::show(from.shown);
  if (name == "compare") return calib::compare_files(from.before, from.after);
  if (name == "export") return calib::export_profile(from.format, from.shown);
  return run_peers(from);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  calib::arguments from;
  calib::describe(app, from);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "; am-calibrate --help tells more");
  }
  for (const CLI::App* given : app.get_subcommands()) {
    for (const CLI::Option* option : app.get_options())
      if (option->count() > 0)
        return refuse(option->get_name() + " stands in front of " + given->get_name() +
                      ": options follow the command");
    if (given->get_name() != "run") return run_command(given->get_name(), from);
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty())
    return refuse("cannot read '" + extras.front() + "'; am-calibrate --help tells more");
  return run_calibration(from);
}
