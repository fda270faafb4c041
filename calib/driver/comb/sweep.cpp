#include <calib/driver/comb/sweep.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/programs.hpp>
#include <calib/driver/launch/start_table.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

// A layer of COMB is one of `am-calibrate peers`, started alike, with another program and perhaps
// more variables of the environment.
struct comb_layer_entry {
  const char* name;
  const char* as;  // the layer of start_table.cpp
  const char* program;
  string_list variables = {};
};
const std::vector<comb_layer_entry>& comb_layer_entries() {
  static const std::vector<comb_layer_entry> all = {
      {"am-shm", "am-shm", "comb-am"},
      {"am-shm-thread", "am-shm", "comb-am", {"AM_PROGRESS=thread"}},
      {"am-tcp", "am-tcp", "comb-am"},
      {"am-tcp-thread", "am-tcp", "comb-am", {"AM_PROGRESS=thread"}},
      {"am-ucx", "am-ucx", "comb-am"},
      {"mpich", "mpich", "comb-mpich"},
      {"openmpi", "openmpi", "comb-openmpi"},
  };
  return all;
}

bool contains(const string_list& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string list_of(const std::vector<std::uint64_t>& numbers) {
  std::string out;
  for (const std::uint64_t one : numbers) out += (out.empty() ? "" : ",") + std::to_string(one);
  return out;
}

string_list options_of(const comb_sweep& sweep, const std::vector<std::uint64_t>& bytes) {
  string_list out = {"--bytes",     list_of(bytes),
                     "--depths",    list_of(sweep.depths),
                     "--works",     list_of(sweep.works),
                     "--intervals", list_of(sweep.intervals),
                     "--sample-us", std::to_string(sweep.sample_us)};
  if (sweep.with_test) out.emplace_back("--test");
  return out;
}

// What a launch may take, so that the time left can be estimated from the first ones.
double expected_seconds(const comb_sweep& sweep, const std::vector<std::uint64_t>& sizes) {
  constexpr double start = 0.4;
  constexpr double iteration = 0.3e-9;
  constexpr double byte = 0.3e-9;
  constexpr double sample_count = 3;
  constexpr double least_pieces = 3;    // of a sample of polling
  constexpr double trial_batches = 3;   // of post-work-wait
  constexpr double most_batches = 200;  // of a sample of it
  const double sample = sweep.sample_us * 1e-6;
  double out = start;
  for (const std::uint64_t interval : sweep.intervals) {
    // The work alone, and with messages.
    const double pieces =
        std::max(sample, least_pieces * static_cast<double>(interval) * iteration);
    out +=
        (1 + 2 * sample_count) * pieces * static_cast<double>(sizes.size() * sweep.depths.size());
  }
  for (const std::uint64_t bytes : sizes)
    for (const std::uint64_t depth : sweep.depths)
      for (const std::uint64_t work : sweep.works) {
        const double alone = static_cast<double>(work) * iteration;
        const double batch = alone + static_cast<double>(bytes * depth) * byte;
        const double count = std::clamp(sample / batch, 1.0, most_batches);
        out += (trial_batches * batch + sample_count * count * (alone + batch)) *
               (sweep.with_test ? 2 : 1);
      }
  return out;
}

// Each layer by the first of the ways to start it.
void add_launches(const comb_layer_entry& one, const layer_entry& as, const comb_sweep& sweep,
                  catalogue& to) {
  const measured_layer layer{one.name, as.layer.transport};
  const start_method& method = as.methods.front();
  launch_spec spec{layer, "", method.launcher, method.variables, choose_pair_cpus(allowed_cpus())};
  spec.variables.insert(spec.variables.end(), one.variables.begin(), one.variables.end());
  const std::string program = path_of(one.program);
  if (program.empty()) {
    to.missing.push_back(name_of(layer) + ": not built: a package that it needs was not found");
    return;
  }
  if (!find_launcher(spec.command)) {
    to.missing.push_back(name_of(layer) + ": " + spec.command.front() + " is not in PATH");
    return;
  }
  spec.command.push_back(program);
  std::vector<std::vector<std::uint64_t>> groups = {sweep.bytes};
  if (sweep.size_by_size) {
    groups.clear();
    for (const std::uint64_t bytes : sweep.bytes) groups.push_back({bytes});
  }
  for (const auto& bytes : groups) {
    launch_spec with_options = spec;
    if (sweep.size_by_size) with_options.name = kilobytes(bytes.front());
    for (std::string& word : options_of(sweep, bytes))
      with_options.command.push_back(std::move(word));
    with_options.expected_seconds = expected_seconds(sweep, bytes);
    to.specs.push_back(std::move(with_options));
  }
}

// Of libam's transports shm alone is no module.
bool has_module_of(const comb_layer_entry& one, const layer_entry& as) {
  const std::string& over = as.layer.transport;
  if (!is_ours({one.name, over}) || over == "shm") return true;
  return has_module(over.substr(0, over.find(':')));
}

template <class Use>
void for_each_layer(const string_list& transport_names, Use&& use) {
  for (const layer_entry& as : layer_entries())
    if (contains(transport_names, as.layer.transport))
      for (const comb_layer_entry& one : comb_layer_entries())
        if (as.layer.name == one.as) use(one, as);
}

}  // namespace

std::string kilobytes(std::uint64_t bytes) {
  return format("{:g} KB", static_cast<double>(bytes) / 1000);
}

// A batch of these takes some 10 to 100 us without work, a hundred thousand iterations about 30.
comb_sweep quick_comb_sweep() {
  return {{10'000, 100'000},
          {4},
          {10, 1000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 10'000'000},
          {10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000},
          true,
          2000,
          false};
}
comb_sweep usual_comb_sweep() {
  return {{10'000, 50'000, 100'000, 300'000},
          {4},
          {10, 100, 1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000,
           100'000'000},
          {1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000}};
}
comb_sweep full_comb_sweep() {
  comb_sweep out = usual_comb_sweep();
  out.bytes = {1000, 10'000, 50'000, 100'000, 300'000, 1'000'000};
  out.depths = {1, 4, 16};
  out.intervals = {10,        30,        100,        300,        1000,
                   3000,      10'000,    30'000,     100'000,    300'000,
                   1'000'000, 3'000'000, 10'000'000, 30'000'000, 100'000'000};
  out.works.push_back(30'000'000);
  return out;
}

std::vector<std::string> comb_layers(const std::vector<std::string>& transport_names) {
  string_list out;
  for_each_layer(transport_names, [&](const comb_layer_entry& one, const layer_entry&) {
    if (!contains(out, one.name)) out.emplace_back(one.name);
  });
  return out;
}

catalogue find_comb(const std::vector<std::string>& transport_names,
                    const std::vector<std::string>& layers, const comb_sweep& sweep) {
  catalogue out;
  for_each_layer(transport_names, [&](const comb_layer_entry& one, const layer_entry& as) {
    if (!layers.empty() && !contains(layers, one.name)) return;
    if (!has_module_of(one, as)) {
      out.missing.push_back(std::string(one.name) + ": its module is not installed");
      return;
    }
    add_launches(one, as, sweep, out);
  });
  return out;
}

}  // namespace calib
