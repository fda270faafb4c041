#include <calib/driver/catalogue.hpp>
#include <calib/driver/json_field.hpp>
#include <calib/driver/opinions_reader.hpp>
#include <calib/driver/output.hpp>
#include <calib/driver/profile_reader.hpp>
#include <calib/driver/sizes.hpp>
#include <calib/driver/state.hpp>
#include <calib/driver/value_reader.hpp>
#include <calib/format.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace calib {
namespace {

constexpr std::size_t most_bytes = 64U << 20U;  // of a file; a long measurement has a tenth of it

machine machine_from(const json_field& from) {
  machine out;
  out.cpu = from["cpu"].text();
  const std::uint64_t cores = from["cores"].count();
  if (cores > std::numeric_limits<unsigned>::max()) from["cores"].expected("a number of cores");
  out.cores = static_cast<unsigned>(cores);
  out.caches = from["caches"].texts();
  if (!from["hypervisor"].is_null()) out.hypervisor = from["hypervisor"].text();
  out.kernel = from["kernel"].text();
  out.memory_gib = from["memory_gib"].number();
  return out;
}

// What is in it is not laid down; but what has a known name must be what it is called.
void read_conditions(const json_field& from, measurement& into) {
  if (const auto seconds = from.find("seconds")) into.at.seconds = seconds->number();
  if (const auto clock = from.find("clock"))
    into.at.clock_resolution_ns = (*clock)["resolution_ns"].number();
  for (const auto& [key, lines] :
       {std::pair("remarks", &into.remarks), std::pair("unfit", &into.unfit),
        std::pair("failed", &into.failed)})
    if (const auto found = from.find(key)) *lines = found->texts();
}

logp::summary logp_from(const json_field& layer) {
  logp::summary out;
  const json_field from = layer["logp"];
  for (const char* name : {"o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt"}) {
    const json_field one = from[name];
    const auto remark = one.find("remark");
    out.parameters.push_back({name, value_from(one, "ns"), remark ? remark->text() : ""});
  }
  if (const std::optional<estimate>& rtt = out["rtt"].value)
    std::ranges::find(out.parameters, "L", &logp::parameter::name)->part_of = rtt->median / 2;
  if (const auto remarks = layer.find("remarks")) out.remarks = remarks->texts();
  return out;
}

std::vector<signature_point> signature_from(const json_field& from) {
  std::vector<signature_point> out;
  for (const json_field& one : from.items())
    out.push_back({one["messages"].is_null() ? 0 : one["messages"].count(),
                   one["delay_ns"].number(), one["ns"].number()});
  return out;
}

std::vector<sized_cost> sizes_from(const json_field& from) {
  std::vector<sized_cost> out;
  for (const json_field& one : from.items()) {
    out.push_back({one["operation"].text(), one["bytes"].count(), known_from(one["o"], "ns"),
                   known_from(one["g"], "ns"), known_from(one["T"], "ns")});
    (void)value_from(one["bandwidth"], "GB/s");  // follows from g
  }
  return out;
}

// Of an operation whose value is not there only its line is known.
std::optional<estimate> cost_from(const std::optional<json_field>& costs, const char* name,
                                  const char* unit, double of_line) {
  const auto found = costs ? costs->find(name) : std::nullopt;
  return found ? value_from(*found, unit) : estimate{of_line, std::nullopt, 0};
}

// In the order of the lines.
std::vector<loggp_cost> lines_from(const json_field& from) {
  std::vector<loggp_cost> out;
  for (const json_field& line : from.items()) {
    const std::string operation = line["operation"].text();
    auto at = std::ranges::find(out, operation, &loggp_cost::operation);
    if (at == out.end()) at = out.insert(at, {operation, {}, {}, {}, {}});
    at->segments.push_back(
        {line["from"].number(), line["to"].number(), line["g0"].number(), line["G"].number()});
  }
  return out;
}

// `others`: G and g0 of other operations than the first, by operation.
std::vector<loggp_cost> loggp_from(const json_field& from, const std::optional<json_field>& others,
                                   const std::vector<sized_cost>& sizes) {
  std::vector<loggp_cost> out;
  std::vector<loggp_cost> all = lines_from(from["segments"]);
  for (loggp_cost& one : all) {
    const auto costs = &one == &all.front() ? std::optional(from)
                       : others             ? others->find(one.operation)
                                            : std::nullopt;
    const auto G = cost_from(costs, "G", "ns/B", one.segments.back().G);
    const auto g0 = cost_from(costs, "g0", "ns", one.segments.front().g0);
    if (!G || !g0) continue;
    one.G = *G;
    one.g0 = *g0;
    one.half_bandwidth_bytes = half_bandwidth(sizes, one.operation);
    out.push_back(std::move(one));
  }
  return out;
}

carrier carrier_from(const std::string& group, const std::string& key) {
  if (group == "transports") return {"am-" + key, key};
  for (const carrier& who : carriers())
    if (name_of(who) == key) return who;
  const std::size_t over = key.find(" over ");
  if (over == std::string::npos) return {key, ""};
  return {key.substr(0, over), key.substr(over + 6)};
}

void read_layers(const json_field& whole, const std::string& group, profile& into) {
  const auto all_costs = whole["conditions"].find("costs");
  const auto found = whole.find(group);
  if (!found) return;
  for (const auto& [key, from] : found->members()) {
    layer_profile one;
    one.who = carrier_from(group, key);
    one.logp = logp_from(from);
    one.signature = signature_from(from["signature"]);
    one.sizes = sizes_from(from["by_size"]);
    one.loggp =
        loggp_from(from["loggp"], all_costs ? all_costs->find(key) : std::nullopt, one.sizes);
    one.opinions = opinions_from(from["validation"]);
    into.layers.push_back(std::move(one));
  }
}

profile profile_from(const json_field& whole) {
  profile out;
  if (whole["schema"].text() != "am-profile/1") whole["schema"].expected("\"am-profile/1\"");
  out.fingerprint = whole["fingerprint"].text();
  out.machine = machine_from(whole["machine"]);
  read_conditions(whole["conditions"], out);
  out.complete = whole["complete"].truth();
  (void)whole["transports"];
  read_layers(whole, "transports", out);
  read_layers(whole, "layers", out);
  return out;
}

// Nothing: errno says why.
std::optional<std::string> bytes_of(const std::string& file) {
  const int from = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return std::nullopt;
  std::string out;
  std::vector<char> some(1U << 16U);
  ssize_t got = 0;
  while (out.size() <= most_bytes && (got = ::read(from, some.data(), some.size())) > 0)
    out.append(some.data(), static_cast<std::size_t>(got));
  const int error = errno;
  ::close(from);
  errno = error;
  return got < 0 ? std::nullopt : std::optional(std::move(out));
}

std::optional<profile> read_file(const std::string& file) {
  const std::optional<std::string> text = bytes_of(file);
  std::string trouble;
  if (!text)
    trouble = std::strerror(errno);
  else if (text->size() > most_bytes)
    trouble = format("more than {} MiB, which is no profile", most_bytes >> 20U);
  std::optional<profile> out;
  if (trouble.empty()) out = profile_of(*text, trouble);
  if (!out) say(format("cannot read '{}': {}", file, trouble));
  return out;
}

}  // namespace

std::optional<profile> profile_of(const std::string& text, std::string& trouble) {
  trouble.clear();
  try {
    const json whole = json::parse(text);
    profile out = profile_from(json_field(whole, trouble));
    if (trouble.empty()) return out;
  } catch (const json::parse_error& error) {
    trouble = format("no JSON at byte {} of {}", error.byte, text.size());
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  return std::nullopt;
}

std::optional<profile> read_profile(const std::optional<std::string>& file) {
  if (file) return read_file(*file);
  const std::string kept = usual_profile();
  if (::access(kept.c_str(), F_OK) == 0) return read_file(kept);
  say(format("no profile is kept in {} yet: am-calibrate measures and keeps one", kept));
  return std::nullopt;
}

}  // namespace calib
