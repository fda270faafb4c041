#include <calib/driver/catalogue.hpp>
#include <calib/driver/programs.hpp>

#include <stdlib.h>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

using words = std::vector<std::string>;
using namespace std::chrono_literals;

// One way to start the program of a layer.
struct start {
  std::string name = {};  // "" if there is but one
  words launcher = {};    // and its options; none: the program starts its other process itself
  words options = {};     // of the program
  words environment = {};
};

struct entry {
  carrier who;
  const char* program;  // in lib/am/calib
  std::vector<start> starts;
};

#ifdef AM_WITHOUT_TCP
constexpr bool has_tcp = false;
#else
constexpr bool has_tcp = true;
#endif

#ifdef AM_WITHOUT_UCX
constexpr bool has_ucx = false;
#else
constexpr bool has_ucx = true;
#endif

// Whoever says which of UCX's ways he wants has these measured, and no others.
bool user_chooses() {
  static const bool chooses = ::secure_getenv("UCX_TLS") != nullptr;
  return chooses;
}

const std::vector<transport>& all_transports() {
  const bool ours = has_ucx && !user_chooses();
  static const std::vector<transport> all = {
      {"shm", "shared memory", "limit-copy", 1, 50s, 10min, true},
      {"tcp", "TCP on the loopback interface", "limit-socket", 5, 50s, 5min, has_tcp},
      {"ucx:posix", "UCX over shared memory", "ucx-am", 1, 40s, 5min, ours},
      {"ucx:tcp", "UCX over TCP on the loopback interface", "ucx-am", 5, 40s, 5min, ours},
      {"ucx:user", "UCX as UCX_TLS says", "ucx-am", 2, 40s, 5min, has_ucx && user_chooses()},
  };
  return all;
}

words open_mpi(const words& settings) {
  words out = {
      "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"};
  out.insert(out.end(), settings.begin(), settings.end());
  return out;
}

// A pair, and a rank with 16 silent ones.
std::vector<start> libam(const words& environment) {
  return {{.launcher = {"am-run", "-n", "2", "--bind", "core"}, .environment = environment},
          {.launcher = {"am-run", "-n", "17", "--bind", "none"},
           .options = {"--idle"},
           .environment = environment}};
}

// libam's ucx, and UCX itself with the same of its ways.
void add_ucx(const std::string& over, words environment, const words& options,
             std::vector<entry>& to) {
  to.push_back({{"ucx-am", over}, "ucx-am", {{.options = options, .environment = environment}}});
  environment.emplace_back("AM_TRANSPORT=ucx");
  to.push_back({{"am-ucx", over}, "am", libam(environment)});
}

std::vector<entry> make_table() {
  const start alone;
  const words mpich = {"mpirun.mpich", "-n", "2"};
  // A message takes microseconds there: 50 windows of 1024 would be a quarter of a second.
  const words short_floods = {"--windows", "4"};
  const words ucx_over_memory = {"UCX_TLS=posix,cma,self"};
  const words ucx_over_tcp = {"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo"};
  std::vector<entry> all = {
      {{"limit-line", "shm"}, "limit-line", {alone}},
      {{"limit-ring", "shm"}, "limit-ring", {alone}},
      {{"limit-memcpy", "shm"}, "limit-memcpy", {alone}},
      {{"limit-copy", "shm"}, "limit-copy", {alone}},
      {{"am-shm", "shm"}, "am", libam({})},
      {{"boost-spsc", "shm"}, "boost-spsc", {alone}},
      {{"ucx-am", "shm"}, "ucx-am", {{.environment = ucx_over_memory}}},
      {{"mpich", "shm"}, "mpich", {{.launcher = mpich}}},
      {{"openmpi", "shm"},
       "openmpi",
       {{.name = "vader",
         .launcher = open_mpi({"--mca", "pml", "ob1", "--mca", "btl", "self,vader"})},
        // Open MPI takes UCX by itself only when it sees a fast network.
        {.name = "ucx",
         .launcher = open_mpi({"--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any",
                               "--mca", "opal_common_ucx_devices", "any"}),
         .environment = ucx_over_memory}}},

      {{"limit-socket", "tcp"}, "limit-socket", {alone}},
      {{"am-tcp", "tcp"}, "am", libam({"AM_TRANSPORT=tcp"})},
      {{"socket", "tcp"}, "socket", {alone}},
      {{"rpc", "tcp"}, "rpc", {alone}},
      {{"ucx-am", "tcp"}, "ucx-am", {{.options = short_floods, .environment = ucx_over_tcp}}},
      // MPICH is made with UCX in Debian; NOLOCAL takes its own shared memory from it.
      {{"mpich", "tcp"},
       "mpich",
       {{.launcher = mpich,
         .options = short_floods,
         .environment = {"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1"}}}},
      {{"openmpi", "tcp"},
       "openmpi",
       {{.launcher = open_mpi({"--mca", "pml", "ob1", "--mca", "btl", "self,tcp", "--mca",
                               "btl_tcp_if_include", "lo"}),
         .options = short_floods}}},
  };
  add_ucx("ucx:posix", ucx_over_memory, {}, all);
  add_ucx("ucx:tcp", ucx_over_tcp, short_floods, all);
  add_ucx("ucx:user", {}, short_floods, all);
  return all;
}

const std::vector<entry>& table() {
  static const std::vector<entry> all = make_table();
  return all;
}

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// `part`: of the samples it takes one of so many.
void add_ways(const entry& from, const std::string& program, unsigned part, catalogue& to) {
  for (start how : from.starts) {
    if (!find_launcher(how.launcher)) {
      to.missing.push_back(name_of(from.who) + ": " + how.launcher.front() + " is not in PATH");
      return;
    }
    words command = std::move(how.launcher);
    command.push_back(program);
    command.insert(command.end(), how.options.begin(), how.options.end());
    to.ways.push_back({from.who, how.name, std::move(command), how.environment, part});
  }
}

void add_if_built(const entry& from, unsigned part, catalogue& to) {
  const std::string program = path_of(from.program);
  if (program.empty())
    to.missing.push_back(name_of(from.who) + ": not built; what it needs was not there");
  else
    add_ways(from, program, part, to);
}

bool is_module(const std::string& transport) { return transport == "tcp" || transport == "ucx"; }

// Who has libam's messages go wrong sees what that costs.
words environment_of(const char* transport) {
  words out;
  if (transport != nullptr) out.push_back(std::string("AM_TRANSPORT=") + transport);
  if (const char* faults = ::secure_getenv("AM_FAULT"))
    out.push_back(std::string("AM_FAULT=") + faults);
  return out;
}

// What libam itself takes over each transport; alone it takes none but self.
std::vector<entry> make_signatures() {
  const words options = {"--signature"};
  const words pair = {"am-run", "-n", "2", "--bind", "core"};
  std::vector<entry> all = {
      {{"am-self", "self"}, "am", {{.options = options, .environment = environment_of(nullptr)}}},
      {{"am-shm", "shm"},
       "am",
       {{.launcher = pair, .options = options, .environment = environment_of("shm")}}}};
  for (const auto& [transport, built] : {std::pair("tcp", has_tcp), std::pair("ucx", has_ucx)})
    if (built)
      all.push_back(
          {{std::string("am-") + transport, transport},
           "am",
           {{.launcher = pair, .options = options, .environment = environment_of(transport)}}});
  return all;
}

// Its peers are started as they are beside it, in the first of their ways. There are more of them:
// each has less time.
std::vector<entry> make_peer_signatures() {
  std::vector<entry> all;
  for (const char* over : {"shm", "tcp"})
    for (const char* layer : {"openmpi", "mpich", "ucx-am", "socket", "rpc"})
      if (const auto found = std::ranges::find(table(), carrier{layer, over}, &entry::who);
          found != table().end()) {
        start how = found->starts.front();
        how.name.clear();
        how.options = {"--signature", "--sample-us", "300"};
        all.push_back({found->who, found->program, {std::move(how)}});
      }
  return all;
}

}  // namespace

std::span<const transport> transports() { return all_transports(); }

std::vector<std::string> built_transports() {
  std::vector<std::string> out;
  for (const transport& one : all_transports())
    if (one.built) out.emplace_back(one.name);
  return out;
}

const transport& transport_of(const carrier& who) {
  return *std::ranges::find(all_transports(), who.transport, &transport::name);
}

carrier bulk_limit_of(const carrier& who) {
  return {std::string(transport_of(who).bulk_limit), who.transport};
}

const std::vector<carrier>& carriers() {
  static const std::vector<carrier> all = [] {
    std::vector<carrier> out;
    for (const entry& e : table()) out.push_back(e.who);
    return out;
  }();
  return all;
}

std::string name_of(const carrier& who) {
  if (std::ranges::count(carriers(), who.layer, &carrier::layer) < 2) return who.layer;
  return who.layer + " over " + who.transport;
}

catalogue find_layers(const std::vector<std::string>& over, const std::vector<std::string>& layers,
                      bool bulk) {
  catalogue found;
  for (const entry& e : table()) {
    if (!among(over, e.who.transport)) continue;
    if (!layers.empty() && !among(layers, e.who.layer)) continue;
    if (!bulk && is_bulk_alone(e.who)) continue;
    add_if_built(e, transport_of(e.who).part, found);
  }
  return found;
}

std::vector<std::string> signed_transports() {
  std::vector<std::string> out;
  for (const entry& e : make_signatures()) out.push_back(e.who.transport);
  return out;
}

std::vector<carrier> signed_layers() {
  std::vector<carrier> out;
  for (const entry& e : make_signatures()) out.push_back(e.who);
  for (const entry& e : make_peer_signatures()) out.push_back(e.who);
  return out;
}

catalogue find_signatures(const std::vector<std::string>& over) {
  catalogue found;
  for (const entry& e : make_signatures()) {
    if (!among(over, e.who.transport)) continue;
    if (is_module(e.who.transport) && !has_module(e.who.transport))
      found.missing.push_back(e.who.transport + ": its module is not installed");
    else
      add_if_built(e, 1, found);
  }
  catalogue peers;
  for (const entry& e : make_peer_signatures())
    if (among(over, e.who.transport)) add_if_built(e, 2, peers);
  found.ways.insert(found.ways.end(), peers.ways.begin(), peers.ways.end());
  found.absent = std::move(peers.missing);
  return found;
}

bool has_crews(const carrier& who) {
  return std::ranges::any_of(make_signatures(), [&](const entry& e) {
    return e.who == who && !e.starts.front().launcher.empty();
  });
}

std::vector<way> find_crews(const std::vector<std::string>& over, unsigned ranks) {
  catalogue found;
  for (entry& e : make_signatures()) {
    if (!among(over, e.who.transport) || !has_crews(e.who)) continue;
    if (is_module(e.who.transport) && !has_module(e.who.transport)) continue;
    start& how = e.starts.front();
    how.launcher = {"am-run", "-n", std::to_string(ranks), "--bind", "core"};
    how.options = {"--validate"};
    add_if_built(e, 1, found);
  }
  return found.ways;
}

}  // namespace calib
