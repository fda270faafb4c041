#include <calib/driver/starts.hpp>

#include <stdlib.h>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

using namespace std::chrono_literals;

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

std::vector<entry> make_entries() {
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
      {.who = {"limit-socket-calls", "tcp"},
       .program = "limit-socket-calls",
       .starts = {alone},
       .when_named = true},
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

// Who has libam's messages go wrong sees what that costs.
words environment_of(const char* transport) {
  words out;
  if (transport != nullptr) out.push_back(std::string("AM_TRANSPORT=") + transport);
  if (const char* faults = ::secure_getenv("AM_FAULT"))
    out.push_back(std::string("AM_FAULT=") + faults);
  return out;
}

}  // namespace

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

const std::vector<entry>& all_entries() {
  static const std::vector<entry> all = make_entries();
  return all;
}

std::vector<entry> signature_entries() {
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

std::vector<entry> peer_signature_entries() {
  std::vector<entry> all;
  for (const char* over : {"shm", "tcp"})
    for (const char* layer : {"openmpi", "mpich", "ucx-am", "socket", "rpc"})
      if (const auto found = std::ranges::find(all_entries(), carrier{layer, over}, &entry::who);
          found != all_entries().end()) {
        start how = found->starts.front();
        how.name.clear();
        how.options = {"--signature", "--sample-us", "300"};
        all.push_back({found->who, found->program, {std::move(how)}});
      }
  return all;
}

}  // namespace calib
