#include <calib/suite/entries.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/programs.hpp>
#include <calib/driver/launch/start_table.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace calib::suite {
namespace {

struct program {
  std::string name;
  std::vector<std::string> variants;  // in Split-C
  std::string twin;                   // its program over MPI
  std::vector<std::string> twin_variants;
  const char* small = "quick";  // its small input
};

const std::vector<program>& programs() {
  static const std::vector<program> all = {
      {"radix", {"stores"}, "radix", {"aggregated", "literal"}, "16384"},
      {"radb", {"bulk"}, "radix", {"aggregated"}},
      {"sample", {"stores"}, "sample", {"aggregated", "literal"}, "16384"},
      {"em3d", {"store", "unroll"}, "em3d", {"aggregated", "literal"}, "500"},
      {"barnes", {"gets"}, "barnes", {"aggregated"}},
      {"pray", {"gets"}, "pray", {"aggregated"}},
      {"murphi", {"bulk"}, "murphi", {"aggregated"}},
      {"connect", {"reads"}, "connect", {"aggregated", "literal"}},
      {"nowsort", {"bulk"}, "nowsort", {"aggregated"}},
      {"mm", {"blocked"}, "mm", {"aggregated"}},
      {"lu", {"blocked"}, "lu", {"aggregated"}},
      {"fft", {"bulk"}, "fft", {"aggregated"}},
  };
  return all;
}

template <class T>
bool is_selected(const std::vector<T>& names, const T& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

// MPI is started as for am-calibrate, but for the number of ranks. Over ucx there are no twins.
std::optional<start_method> mpi_method(const std::string& layer, const std::string& transport,
                                       unsigned ranks) {
  const auto found =
      std::ranges::find(layer_entries(), measured_layer{layer, transport}, &layer_entry::layer);
  if (found == layer_entries().end()) return std::nullopt;
  start_method method = found->methods.front();
  const auto number = std::ranges::find(method.launcher, "-n");
  *std::next(number) = std::to_string(ranks);
  method.name.clear();
  method.options.clear();
  return method;
}

start_method libam_method(const entry& of) {
  start_method method;
  if (of.ranks > 1) {
    const bool has_cores = of.ranks <= allowed_cpus().size();
    method.launcher = {"am-run", "-n", std::to_string(of.ranks), "--bind",
                       has_cores ? "core" : "none"};
  }
  method.variables = {"AM_TRANSPORT=" + (of.transport == "self" ? "self" : "self," + of.transport)};
  return method;
}

// A rank that sleeps until a message is due wakes late.
start_method dialled_method(const entry& of) {
  start_method method = libam_method(of);
  if (!of.dial.empty()) method.variables.push_back("AM_DIAL=" + of.dial);
  if (of.ranks <= allowed_cpus().size()) method.variables.emplace_back("AM_WAIT=spin");
  return method;
}

class finder {
 public:
  explicit finder(const selection& of) : of_(of) {}

  // `path`: of its executable; "": it was not built.
  void add(entry one, start_method method, const std::string& path, const std::string& size) {
    const auto complain = [&](const std::string& why) {
      const std::string line = name_of(one.key()) + ": " + why;
      if (std::ranges::find(out.started_as.missing, line) == out.started_as.missing.end())
        out.started_as.missing.push_back(line);
    };
    if (path.empty()) return complain("not built");
    if (!method.launcher.empty() && !find_launcher(method.launcher))
      return complain(method.launcher.front() + " is not in PATH");
    std::vector<std::string> command = std::move(method.launcher);
    command.insert(command.end(), {path, "--suite", "--size", size, "--variant", one.variant});
    // All pairs have the same two CPUs, whatever starts them.
    const std::vector<int> cpus =
        one.ranks == 2 ? choose_pair_cpus(allowed_cpus()) : std::vector<int>();
    out.started_as.specs.push_back({one.key(), "", std::move(command), method.variables, cpus});
    out.entries.push_back(std::move(one));
  }

  // One rank beside its serial reference.
  void add_serial(const program& of) {
    for (const auto& [layer, variant] :
         {std::pair("am-self", of.variants.front()), std::pair("serial", std::string("serial"))}) {
      const entry one{of.name, layer, variant, "self", 1};
      add(one, libam_method(one), suite_program("", of.name), of_.size);
    }
  }
  void add_parallel(const program& of, const std::string& transport, unsigned ranks) {
    for (const std::string& variant : of.variants) {
      const entry one{of.name, "am-" + transport, variant, transport, ranks};
      add(one, libam_method(one), suite_program("", of.name), of_.size);
    }
    for (const char* layer : {"openmpi", "mpich"}) {
      const auto method = mpi_method(layer, transport, ranks);
      if (!method) continue;
      for (const std::string& variant : of.twin_variants)
        add({of.name, layer, variant, transport, ranks}, *method, suite_program(layer, of.twin),
            of_.size);
    }
  }
  void add_dialled(const program& of, const std::string& transport, unsigned ranks,
                   const std::vector<std::string>& values) {
    for (const std::string& variant : of.variants)
      for (const std::string& value : values) {
        const entry one{of.name, "am-" + transport, variant, transport, ranks, value};
        add(one, dialled_method(one), suite_program("", of.name),
            of_.size == "small" ? of.small : of_.size);
      }
  }

  found_entries out;

 private:
  const selection& of_;
};

}  // namespace

std::vector<std::string> all_programs() {
  std::vector<std::string> out;
  for (const program& one : programs()) out.push_back(one.name);
  return out;
}

std::vector<std::string> all_transports() {
  std::vector<std::string> out = {"shm"};
  for (const char* module : {"tcp", "ucx"})
    if (has_module(module)) out.emplace_back(module);
  return out;
}

found_entries find_entries(const selection& of) {
  finder found(of);
  const std::vector<std::string> usual = {"shm", "tcp"};
  for (const program& one : programs()) {
    if (!is_selected(of.programs, one.name)) continue;
    if (is_selected(of.ranks, 1U)) found.add_serial(one);
    for (const unsigned ranks : of.ranks)
      for (const std::string& transport : all_transports())
        if (ranks > 1 && is_selected(of.transports.empty() ? usual : of.transports, transport))
          found.add_parallel(one, transport, ranks);
  }
  return std::move(found.out);
}

found_entries find_dialled(const selection& of, const std::vector<std::string>& values) {
  finder found(of);
  const std::vector<std::string> usual = {"shm"};
  for (const program& one : programs()) {
    if (!is_selected(of.programs, one.name)) continue;
    for (const unsigned ranks : of.ranks)
      for (const std::string& transport : all_transports())
        if (ranks > 1 && is_selected(of.transports.empty() ? usual : of.transports, transport))
          found.add_dialled(one, transport, ranks, values);
  }
  return std::move(found.out);
}

}  // namespace calib::suite
