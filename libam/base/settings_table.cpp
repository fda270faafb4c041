// The table of settings: one row for each AM_* variable. A row without a reader belongs to a
// feature that is not built yet.
#include <libam/base/settings.hpp>
#include <libam/base/text.hpp>

#include <cstddef>
#include <utility>

namespace am::detail::base {
namespace {

template <class Value, std::size_t Count>
bool choose(std::string_view text, const std::pair<std::string_view, Value> (&choices)[Count],
            Value& out) {
  for (const auto& [name, value] : choices) {
    if (name != text) continue;
    out = value;
    return true;
  }
  return false;
}

bool number(std::string_view text, std::uint32_t low, std::uint32_t high, std::uint32_t& out) {
  std::uint32_t value = 0;
  if (!read_number(text, value) || value < low || value > high) return false;
  out = value;
  return true;
}

bool read_transport(std::string_view text, settings& out) {
  out.transport = text;
  return true;  // core knows the names
}

bool read_tcp_crypt(std::string_view text, settings& out) {
  return choose<bool>(text, {{"0", false}, {"1", true}}, out.tcp_crypt);
}

bool read_wait(std::string_view text, settings& out) {
  return choose<wait_mode>(text,
                           {{"auto", wait_mode::automatic},
                            {"spin", wait_mode::spin},
                            {"yield", wait_mode::yield},
                            {"block", wait_mode::block}},
                           out.wait);
}

bool read_progress(std::string_view text, settings& out) {
  return choose<bool>(text, {{"poll", false}, {"thread", true}}, out.progress_thread);
}

bool read_bootstrap(std::string_view text, settings& out) {
  out.bootstrap = text;
  return text == "run" || text == "pmix" || text == "alone";
}

bool read_bind(std::string_view text, settings& out) {
  out.bind = text;
  return text == "core" || text == "none";
}

bool read_log(std::string_view text, settings& out) {
  return choose<log_level>(text,
                           {{"none", log_level::none},
                            {"error", log_level::error},
                            {"warn", log_level::warn},
                            {"info", log_level::info},
                            {"debug", log_level::debug}},
                           out.log);
}

bool read_on_peer_death(std::string_view text, settings& out) {
  return choose<bool>(text, {{"abort", false}, {"callback", true}}, out.outlives_deaths);
}

bool read_credits(std::string_view text, settings& out) {
  return number(text, 1, most_credits, out.credits);
}

bool read_shm_slots(std::string_view text, settings& out) {
  return number(text, 2, 4096, out.shm_slots) && (out.shm_slots & (out.shm_slots - 1)) == 0;
}

// Also a multiple of 16, so that every place for a payload is aligned.
bool read_max_medium(std::string_view text, settings& out) {
  return number(text, AM_MIN_MAX_MEDIUM, 64 * 1024, out.max_medium) && out.max_medium % 16 == 0;
}

bool read_shm_bulk(std::string_view text, settings& out) {
  return choose<bulk_method>(text,
                             {{"auto", bulk_method::automatic},
                              {"map", bulk_method::map},
                              {"cma", bulk_method::cma},
                              {"fragments", bulk_method::fragments}},
                             out.shm_bulk);
}

bool read_fault(std::string_view text, settings& out) { return read_faults(text, out.fault); }

bool read_dial(std::string_view text, settings& out) { return read_dials(text, out.dial); }

bool seconds(std::string_view text, std::uint32_t low, std::chrono::seconds& out) {
  std::uint32_t count = 0;
  if (!number(text, low, 3600, count)) return false;
  out = std::chrono::seconds(count);
  return true;
}

bool read_stall_warn(std::string_view text, settings& out) {
  return seconds(text, 0, out.stall_warn);
}

// The system counts whole seconds: one for the probe and one for the answer.
bool read_peer_timeout(std::string_view text, settings& out) {
  return seconds(text, 2, out.peer_timeout);
}

bool read_tcp_net(std::string_view text, settings& out) { return read_networks(text, out.tcp_net); }

bool read_rsh(std::string_view text, settings& out) {
  out.rsh = text;
  return text.find_first_not_of(" \t\n\v\f\r") != std::string_view::npos;
}

bool read_stats(std::string_view text, settings& out) {
  out.stats = text;
  return !text.empty();
}

bool read_trace(std::string_view text, settings& out) {
  out.trace = text;
  return !text.empty();
}

bool read_trace_limit(std::string_view text, settings& out) {
  return number(text, 1, 1U << 20U, out.trace_limit);
}

bool read_dilate(std::string_view text, settings& out) {
  constexpr double most = 1000;
  double factor = 0;
  if (!read_number(text, factor) || !(factor >= 1 && factor <= most)) return false;
  out.dilate = factor;
  return true;
}

bool read_profile(std::string_view text, settings& out) {
  out.profile = text;
  return !text.empty();
}

bool read_shm_dir(std::string_view text, settings& out) {
  out.shm_dir = text;
  return !text.empty();
}

bool read_module_path(std::string_view text, settings& out) {
  out.module_path = text;
  return true;
}

constexpr setting not_built(std::string_view name, std::string_view fallback,
                            std::string_view range, std::string_view help) {
  return {name, fallback, range, help, false, nullptr};
}

constexpr setting rows[] = {
    {"AM_TRANSPORT", "", "a list of transports, ^name excludes",
     "Transports that may be used, of libam or in external modules; ^NAME leaves one out.", true,
     read_transport},
    {"AM_TCP_NET", "", networks_range,
     "Where tcp listens and is reached; by default at all interfaces that others can reach, and "
     "in a job on one host at the loopback interface.",
     true, read_tcp_net},
    {"AM_TCP_CRYPT", "0", "0|1",
     "Whether tcp encrypts what it carries; the same for all ranks of a job.", true,
     read_tcp_crypt},
    {"AM_PEER_TIMEOUT", "30", "2..3600 s",
     "How long the host of a tcp or ucx peer may be silent until the peer is lost.", true,
     read_peer_timeout},
    {"AM_RSH", "ssh -T -o BatchMode=yes -o ControlMaster=no", "a command",
     "How am-run runs a command on another host: these words, the host, the command.", true,
     read_rsh},
    {"AM_WAIT", "auto", "spin|yield|block|auto",
     "How to wait: on the core, yielding it, asleep, or asleep after a short spin.", true,
     read_wait},
    {"AM_PROGRESS", "poll", "poll|thread",
     "What moves two-sided messages on: the program's calls, or a thread of each endpoint that has "
     "a mailbox.",
     true, read_progress},
    {"AM_BOOTSTRAP", "", "run|pmix|alone",
     "How to join a job; by default what the launcher's environment variables say.", true,
     read_bootstrap},
    {"AM_BIND", "", "core|none",
     "Whether am-run binds each rank to a core; by default if there are enough cores.", true,
     read_bind},
    {"AM_LOG", "warn", "none|error|warn|info|debug", "What libam writes on standard error.", true,
     read_log},
    {"AM_STATS", "", "a file name, or - for standard error",
     "Where each rank appends a line of counters when it leaves.", true, read_stats},
    {"AM_FAULT", "", faults_range,
     "Faults to inject into messages, for tests; the seed is logged and repeats them.", true,
     read_fault},
    {"AM_DIAL", "", dials_range,
     "What messages cost beyond what they cost by themselves, as if the network were slower.", true,
     read_dial},
    {"AM_TRACE", "", "a folder",
     "Where each rank writes a trace of what it does, for am-trace; the folder is made.", true,
     read_trace},
    {"AM_TRACE_LIMIT", "1024", "1..1048576 MiB",
     "How much of a trace a rank writes; what comes later is counted.", true, read_trace_limit},
    {"AM_DILATE", "", "1..1000",
     "How many times as long what a rank computes between calls takes, as if the network were so "
     "much faster.",
     true, read_dilate},
    {"AM_PROFILE", "auto", "auto|off|a file name",
     "The measured profile by which rank 0 chooses for all ranks: the one that am-calibrate keeps "
     "if it fits, none, or this file.",
     true, read_profile},
    {"AM_STALL_WARN", "30", "0..3600 s",
     "How long a rank waits without progress until it reports it; 0: it never does.", true,
     read_stall_warn},
    not_built("AM_CLOSE_TIMEOUT", "0", "0..3600 s",
              "How long leaving waits for others; 0: without a limit."),
    {"AM_ON_PEER_DEATH", "abort", "abort|callback",
     "What the death of a rank does: ends the job, or is reported to the others, which go on if "
     "every rank has shm.",
     true, read_on_peer_death},
    {"AM_CREDITS", "4096", "1..4096", "How many requests may be in flight to one rank.", true,
     read_credits},
    {"AM_MAX_MEDIUM", "16384", "a multiple of 16, 8192..65536",
     "How many bytes the payload of one message may have; the same for all ranks of a job.", true,
     read_max_medium},
    {"AM_SHM_SLOTS", "4096", "a power of two, 2..4096",
     "How many slots a ring in shared memory may grow to.", true, read_shm_slots},
    {"AM_SHM_BULK", "auto", "auto|map|cma|fragments",
     "How bulk data moves within a host: copied into segments, by the kernel, in messages.", true,
     read_shm_bulk},
    {"AM_SHM_DIR", "/dev/shm", "a folder",
     "Where a file without a name is the shared memory, if the kernel has no memfd.", true,
     read_shm_dir},
    {"AM_MODULE_PATH", "", "folders with : between",
     "Where libam looks for modules before the folder beside itself.", true, read_module_path},
};

}  // namespace

std::span<const setting> settings_table() noexcept { return rows; }

}  // namespace am::detail::base
