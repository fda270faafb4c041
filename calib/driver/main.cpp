// am-calibrate: reports what communication costs on this machine. Here the command line is checked
// and made a request.
#include <calib/driver/comb/sweep.hpp>
#include <calib/driver/commands.hpp>
#include <calib/driver/commtest/slices.hpp>
#include <calib/driver/dials/sweep.hpp>
#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/option_types.hpp>
#include <calib/driver/options.hpp>
#include <calib/driver/peers/metric.hpp>
#include <calib/driver/profile/once.hpp>
#include <calib/driver/profile/profile_store.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>

namespace {

using names = std::vector<std::string>;

int refuse(const std::string& line) {
  std::fprintf(stderr, "am-calibrate: %s\n", line.c_str());
  return calib::bad_usage;
}

bool contains(const names& these, const std::string& name) {
  return std::ranges::find(these, name) != these.end();
}

names known_transports() {
  names out;
  for (const calib::transport& one : calib::transports()) out.emplace_back(one.name);
  return out;
}

// "ucx" stands for all transports of UCX that are measured here.
void expand_ucx(names& transports) {
  if (!contains(transports, "ucx")) return;
  std::erase(transports, "ucx");
  for (const std::string& one : calib::built_transports())
    if (one.starts_with("ucx:") && !contains(transports, one)) transports.push_back(one);
}

names layers_over(const names& transports) {
  names out;
  for (const calib::measured_layer& layer : calib::measured_layers())
    if (contains(transports, layer.transport) && !contains(out, layer.name))
      out.push_back(layer.name);
  return out;
}

// The function for the effort that the command line asks for. Not every command has --full.
template <class Make>
Make* by_effort(const calib::arguments& from, Make* quick, Make* usual, Make* full = nullptr) {
  return from.quick ? quick : from.full ? full : usual;
}

// The plan that this function makes, with what the command line changes in it, and the file.
calib::measuring_request request_of(const calib::arguments& from, calib::plan (*make)(names)) {
  calib::measuring_request out{make(from.transports), {}};
  if (!from.json.empty()) out.json = from.json;
  if (from.rounds > 0) out.plan.min_rounds = out.plan.max_rounds = from.rounds;
  if (from.samples > 0) out.plan.samples = from.samples;
  out.plan.seed = from.seed != 0 ? from.seed : std::random_device{}();
  return out;
}

// The same, of a command whose result is drawn.
calib::drawing_request drawing_request_of(const calib::arguments& from,
                                          calib::plan (*make)(names)) {
  calib::drawing_request out{
      request_of(from, make), {}, calib::terminal::look_for(from.curves, STDOUT_FILENO)};
  if (!from.html.empty()) out.html = from.html;
  out.look.brief = from.quick;
  return out;
}

// Complains of the first transport or layer that is not known; "": there is none.
std::string find_unknown_name(const calib::arguments& from, const names& transports,
                              const names& layers) {
  const std::string line = calib::find_unknown("transport", from.transports, transports);
  return line.empty() ? calib::find_unknown("layer", from.layers, layers) : line;
}

// Why the request cannot be fulfilled; empty: it can.
std::string find_objection(const calib::arguments& from) {
  const std::string line =
      find_unknown_name(from, known_transports(), layers_over(from.transports));
  if (!line.empty()) return line;
  if (from.bytes == std::vector<std::uint64_t>{0}) return {};
  for (const std::uint64_t bytes : from.bytes)
    if (std::ranges::find(calib::bulk_sizes, bytes) == std::end(calib::bulk_sizes))
      return "bulk data of " + std::to_string(bytes) +
             " bytes; there are 4096 and four times as many each, up to 67108864";
  return {};
}

int run_peers(calib::arguments from) {
  if (from.transports.empty()) from.transports = calib::built_transports();
  expand_ucx(from.transports);
  if (from.transports.empty()) return refuse("transport ucx: this libam was built without");
  if (const std::string line = find_objection(from); !line.empty()) return refuse(line);
  calib::peers_request request{
      request_of(from, by_effort(from, calib::quick_peers_plan, calib::full_peers_plan)),
      from.layers};
  if (!from.bytes.empty()) request.plan.bytes.assign(from.bytes.begin(), from.bytes.end());
  std::erase(request.plan.bytes, 0U);
  if (from.samples > 0) request.plan.trial_samples = from.samples;
  return calib::peers(request);
}

int run_calibration(calib::arguments from) {
  if (from.quick && from.full) return refuse("either --quick or --full");
  const names known = calib::signature_transports();
  if (from.transports.empty()) from.transports = known;
  if (const std::string line = calib::find_unknown("transport", from.transports, known);
      !line.empty())
    return refuse(line);
  calib::run_request request{
      request_of(from, by_effort(from, calib::quick_run_plan, calib::default_run_plan,
                                 calib::full_run_plan)),
      {}};
  if (!from.profile.empty()) request.profile = from.profile;
  request.if_missing = from.if_missing;
  request.all_transports = std::ranges::all_of(
      known, [&](const std::string& name) { return contains(from.transports, name); });
  request.default_effort = from.rounds + from.samples == 0;
  if (from.rounds > 0) request.plan.peer_rounds = 0;
  if (from.if_missing && from.profile == "none")
    return refuse("--if-missing looks for a kept profile, and --profile none keeps none");
  if (from.if_missing && !from.json.empty())
    return refuse("--if-missing may measure nothing, and --json " + from.json +
                  " has nothing to write then: one of them");
  if (from.if_missing && from.profile.empty() &&
      !(request.all_transports && request.default_effort))
    return refuse(
        "--if-missing keeps a profile of all transports: with --transport, --rounds or --samples "
        "it needs --profile FILE");
  return calib::calibrate(request);
}

int run_dials(calib::arguments from) {
  const names known = calib::dialled_transports();
  if (from.transports.empty())
    for (const char* usual : {"shm", "tcp"})
      if (contains(known, usual)) from.transports.emplace_back(usual);
  if (const std::string line = calib::find_unknown("transport", from.transports, known);
      !line.empty())
    return refuse(line);
  return calib::dials(
      {request_of(from, by_effort(from, calib::quick_dials_plan, calib::usual_dials_plan)),
       by_effort(from, calib::quick_dial_values, calib::usual_dial_values)()});
}

// Why COMB cannot be measured so; empty: it can.
std::string find_comb_objection(const calib::arguments& from) {
  for (const std::string& line :
       {find_unknown_name(from, known_transports(), calib::comb_layers(from.transports)),
        calib::find_file_objection(from.html, from.json)})
    if (!line.empty()) return line;
  for (const std::uint64_t bytes : from.bytes)
    if (bytes < 8 || bytes > 10'000'000)
      return "messages of " + std::to_string(bytes) + " bytes; they have 8 to 10000000";
  for (const std::uint64_t depth : from.depths)
    if (depth < 1 || depth > 64)
      return std::to_string(depth) + " messages under way; there are 1 to 64";
  return {};
}

int run_comb(calib::arguments from) {
  if (from.quick && from.full) return refuse("either --quick or --full");
  if (from.transports.empty())
    from.transports = from.quick ? names{"shm"} : calib::built_transports();
  expand_ucx(from.transports);
  if (from.transports.empty()) return refuse("transport ucx: this libam was built without");
  if (const std::string line = find_comb_objection(from); !line.empty()) return refuse(line);
  calib::comb_sweep sweep =
      by_effort(from, calib::quick_comb_sweep, calib::usual_comb_sweep, calib::full_comb_sweep)();
  if (!from.bytes.empty()) sweep.bytes = from.bytes;
  if (!from.depths.empty()) sweep.depths = from.depths;
  return calib::comb(
      {drawing_request_of(from, by_effort(from, calib::quick_comb_plan, calib::usual_comb_plan,
                                          calib::full_comb_plan)),
       sweep, from.layers});
}

// What commtest varies, less what the command line leaves out. Not fulfillable: `objection` says
// why.
calib::commtest_scope scope_for(const calib::arguments& from, std::string& objection) {
  calib::commtest_scope out =
      by_effort(from, calib::quick_scope, calib::usual_scope, calib::full_scope)();
  const calib::commtest_scope all = calib::full_scope();
  if (!from.pairs.empty()) out.pairs.clear();
  if (!from.volumes.empty()) out.volumes.clear();
  if (!from.modes.empty()) out.modes.clear();
  for (const std::string& one : all.pairs)
    if (contains(from.pairs, one)) out.pairs.push_back(one);
  for (const std::size_t one : all.volumes)
    if (contains(from.volumes, calib::volume_name(one))) out.volumes.push_back(one);
  for (const calib::cache_mode one : all.modes)
    if (contains(from.modes, calib::name_of(one))) out.modes.push_back(one);
  for (const std::string& line :
       {calib::find_unknown("volume", from.volumes, calib::volume_names()),
        calib::find_unknown("cache mode", from.modes, calib::mode_names()),
        calib::find_unknown("pair", from.pairs, all.pairs)})
    if (objection.empty()) objection = line;
  return out;
}

int run_commtest(calib::arguments from) {
  if (from.quick && from.full) return refuse("either --quick or --full");
  if (from.transports.empty()) from.transports = {"shm"};
  expand_ucx(from.transports);
  std::string objection =
      calib::find_unknown("transport", from.transports, calib::commtest_transports());
  const calib::commtest_scope scope = scope_for(from, objection);
  names layers;
  for (const calib::measured_layer& one : calib::commtest_layers())
    if (contains(from.transports, one.transport) && !contains(layers, one.name))
      layers.push_back(one.name);
  if (objection.empty()) objection = calib::find_unknown("layer", from.layers, layers);
  if (objection.empty()) objection = calib::find_file_objection(from.html, from.json);
  if (!objection.empty()) return refuse(objection);
  return calib::commtest(
      {drawing_request_of(from, by_effort(from, calib::quick_commtest_plan,
                                          calib::usual_commtest_plan, calib::full_commtest_plan)),
       scope, from.layers});
}

// The measurement ends with its table, as `show` does.
int run_show(const calib::arguments& from) {
  if (from.profile_file || !calib::measures_at_show(calib::profile_places(), calib::read_occasion(),
                                                    calib::read_readiness()))
    return calib::show(from.profile_file);
  calib::arguments quick;
  quick.quick = true;
  return run_calibration(std::move(quick));
}

int run_report(const calib::arguments& from) {
  calib::report_request request{from.files, {}};
  if (!from.html.empty()) request.html = from.html;
  return calib::report(request);
}

int run_command(const std::string& name, const calib::arguments& from) {
  if (name == "show") return run_show(from);
  if (name == "compare") return calib::compare_files(from.before, from.after);
  if (name == "export") return calib::export_profile(from.format, from.profile_file);
  if (name == "report") return run_report(from);
  if (name == "dials") return run_dials(from);
  if (name == "comb") return run_comb(from);
  if (name == "commtest") return run_commtest(from);
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
