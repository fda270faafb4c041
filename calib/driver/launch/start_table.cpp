#include <calib/driver/launch/start_table.hpp>

#include <calib/driver/launch/own_job.hpp>

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

// If UCX_TLS selects transports of UCX, these are measured and no others.
bool user_sets_ucx_tls() {
  static const bool chooses = ::secure_getenv("UCX_TLS") != nullptr;
  return chooses;
}

string_list open_mpi(const string_list& settings) {
  string_list out = {
      "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"};
  out.insert(out.end(), settings.begin(), settings.end());
  return out;
}

// A pair, and a rank with 16 silent peers.
std::vector<start_method> libam_methods(const string_list& variables) {
  return {{.launcher = {"am-run", "-n", "2", "--bind", "core"}, .variables = variables},
          {.launcher = {"am-run", "-n", "17", "--bind", "none"},
           .options = {"--idle"},
           .variables = variables}};
}

// libam's two-sided messages.
layer_entry messages_over(const char* transport) {
  return {.layer = {"am-messages", transport},
          .program = "messages",
          .methods = {{.launcher = {"am-run", "-n", "2", "--bind", "core"},
                       .variables = {std::string("AM_TRANSPORT=") + transport}}},
          .only_if_named = true};
}

// libam over ucx, and UCX itself with the same transports of UCX.
void add_ucx(const std::string& over, string_list variables, const string_list& options,
             std::vector<layer_entry>& to) {
  to.push_back({{"ucx-am", over}, "ucx-am", {{.options = options, .variables = variables}}});
  variables.emplace_back("AM_TRANSPORT=ucx");
  to.push_back({{"am-ucx", over}, "am", libam_methods(variables)});
}

std::vector<layer_entry> make_entries() {
  const start_method alone;
  const string_list mpich = {"mpirun.mpich", "-n", "2"};
  // A message takes microseconds there: 50 windows of 1024 would be a quarter of a second.
  const string_list short_floods = {"--windows", "4"};
  const string_list ucx_over_memory = {"UCX_TLS=posix,cma,self"};
  const string_list ucx_over_tcp = {"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo"};
  std::vector<layer_entry> all = {
      {{"limit-line", "shm"}, "limit-line", {alone}},
      {{"limit-ring", "shm"}, "limit-ring", {alone}},
      {{"limit-memcpy", "shm"}, "limit-memcpy", {alone}},
      {{"limit-copy", "shm"}, "limit-copy", {alone}},
      {{"am-shm", "shm"}, "am", libam_methods({})},
      messages_over("shm"),
      {{"boost-spsc", "shm"}, "boost-spsc", {alone}},
      {{"ucx-am", "shm"}, "ucx-am", {{.variables = ucx_over_memory}}},
      {{"mpich", "shm"}, "mpich", {{.launcher = mpich}}},
      {{"openmpi", "shm"},
       "openmpi",
       {{.name = "vader",
         .launcher = open_mpi({"--mca", "pml", "ob1", "--mca", "btl", "self,vader"})},
        // Open MPI takes UCX by itself only when it sees a fast network.
        {.name = "ucx",
         .launcher = open_mpi({"--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any",
                               "--mca", "opal_common_ucx_devices", "any"}),
         .variables = ucx_over_memory}}},

      {{"limit-socket", "tcp"}, "limit-socket", {alone}},
      {.layer = {"limit-socket-calls", "tcp"},
       .program = "limit-socket-calls",
       .methods = {alone},
       .only_if_named = true},
      {{"am-tcp", "tcp"}, "am", libam_methods({"AM_TRANSPORT=tcp"})},
      messages_over("tcp"),
      {{"socket", "tcp"}, "socket", {alone}},
      {{"rpc", "tcp"}, "rpc", {alone}},
      {{"ucx-am", "tcp"}, "ucx-am", {{.options = short_floods, .variables = ucx_over_tcp}}},
      // MPICH is made with UCX in Debian; NOLOCAL takes its own shared memory from it.
      {{"mpich", "tcp"},
       "mpich",
       {{.launcher = mpich,
         .options = short_floods,
         .variables = {"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1"}}}},
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

// AM_FAULT is passed on, so that its cost can be measured.
string_list variables_for(const char* transport) {
  string_list out;
  if (transport != nullptr) out.push_back(std::string("AM_TRANSPORT=") + transport);
  if (const char* faults = ::secure_getenv("AM_FAULT"))
    out.push_back(std::string("AM_FAULT=") + faults);
  return out;
}

}  // namespace

const std::vector<transport>& all_transports() {
  const bool ours = has_ucx && !user_sets_ucx_tls();
  static const std::vector<transport> all = {
      {"shm", "shared memory", "limit-copy", 1, 50s, 10min, true},
      {"tcp", find_own_rank() ? "TCP between two hosts" : "TCP on the loopback interface",
       "limit-socket", 5, 50s, 5min, has_tcp},
      {"ucx:posix", "UCX over shared memory", "ucx-am", 1, 40s, 5min, ours},
      {"ucx:tcp", "UCX over TCP on the loopback interface", "ucx-am", 5, 40s, 5min, ours},
      {"ucx:user", "UCX as UCX_TLS says", "ucx-am", 2, 40s, 5min, has_ucx && user_sets_ucx_tls()},
  };
  return all;
}

const std::vector<layer_entry>& layer_entries() {
  static const std::vector<layer_entry> all = make_entries();
  return all;
}

std::vector<layer_entry> signature_entries() {
  const string_list options = {"--signature"};
  const string_list pair = {"am-run", "-n", "2", "--bind", "core"};
  // A message over shm is a slot of a ring. A stream that is longer than the first cache costs 9 or
  // 11 ns a message, by the pages that a launch has for its ring. The shorter samples are, the more
  // of them are in one condition.
  const string_list slot_options = {"--signature", "--burst", "256", "--sample-us", "1000"};
  std::vector<layer_entry> all = {
      {{"am-self", "self"}, "am", {{.options = options, .variables = variables_for(nullptr)}}},
      {{"am-shm", "shm"},
       "am",
       {{.launcher = pair, .options = slot_options, .variables = variables_for("shm")}}}};
  for (const auto& [transport, built] : {std::pair("tcp", has_tcp), std::pair("ucx", has_ucx)})
    if (built)
      all.push_back(
          {{std::string("am-") + transport, transport},
           "am",
           {{.launcher = pair, .options = options, .variables = variables_for(transport)}}});
  return all;
}

std::vector<layer_entry> peer_signature_entries() {
  std::vector<layer_entry> all;
  for (const char* over : {"shm", "tcp"})
    for (const char* layer : {"openmpi", "mpich", "ucx-am", "socket", "rpc"})
      if (const auto found =
              std::ranges::find(layer_entries(), measured_layer{layer, over}, &layer_entry::layer);
          found != layer_entries().end()) {
        start_method method = found->methods.front();
        method.name.clear();
        method.options = {"--signature", "--sample-us", "300"};
        all.push_back({found->layer, found->program, {std::move(method)}});
      }
  return all;
}

}  // namespace calib
