// The process goes on meanwhile: each figure was true at some moment of the reading, but not all at
// the same moment.
#include <libam/tools/am-info/live.hpp>

#include <libam/base/format.hpp>
#include <libam/base/process_state.hpp>
#include <libam/base/text.hpp>
#include <libam/base/version.hpp>
#include <libam/core/counters.hpp>
#include <libam/core/exposure.hpp>
#include <libam/tools/am-info/process_memory.hpp>

#include <chrono>
#include <cstring>
#include <thread>

namespace am::detail::info {
namespace {

constexpr std::chrono::milliseconds sample_interval{100};

class reader {
 public:
  reader(const process_memory& memory, const core::exposure& there)
      : memory_(memory), exposure_(there) {
    std::uint32_t count = 0;
    seam::inbox::entry* table = nullptr;
    if (memory.read(exposure_.handler_count, count) && count <= 0xffff &&
        read(exposure_.handlers, table))
      handlers_ = memory.read_all<seam::inbox::entry>(table, count + std::size_t{1});
  }

  [[nodiscard]] live_rank all(pid_t pid) const {
    live_rank out{};
    out.pid = pid;
    out.process = base::process_state(pid);
    out.rank = exposure_.rank;
    out.ranks = exposure_.ranks;
    read_activity(out);
    std::uint64_t full = 0;
    std::uint64_t later = 0;
    (void)(memory_.read(exposure_.polls, out.polls) && memory_.read(exposure_.full_polls, full));
    out.empty_polls = out.polls - full;
    std::this_thread::sleep_for(sample_interval);
    if (memory_.read(exposure_.polls, later)) out.new_polls = later - out.polls;
    add_peers(out);
    for (const seam::inbox::entry& one : handlers_)
      if (one.runs != 0) out.handlers.emplace_back(memory_.read_text(one.label), one.runs);
    return out;
  }

 private:
  template <class Value>
  bool read(Value* const* there, Value*& here) const {
    return memory_.read(there, static_cast<void*>(&here), sizeof(Value*));
  }
  [[nodiscard]] std::string handler_name(std::uint32_t id) const {
    return id < handlers_.size() ? memory_.read_text(handlers_[id].label) : "?";
  }

  void read_activity(live_rank& out) const {
    const void* allowed_thread = nullptr;
    std::uint32_t running = 0;
    if (memory_.read(exposure_.allowed_thread, static_cast<void*>(&allowed_thread),
                     sizeof allowed_thread) &&
        allowed_thread == nullptr && memory_.read(exposure_.running, running) &&
        memory_.read(exposure_.source, out.source))
      out.handler = handler_name(running);
    if (exposure_.current_wait.call == nullptr) return;
    out.call = memory_.read_text(exposure_.current_wait.call);
    if (exposure_.current_wait.has_peer) out.waits_for = exposure_.current_wait.peer;
    using seconds = std::chrono::duration<double>;  // cannot overflow
    const seconds now = std::chrono::steady_clock::now().time_since_epoch();
    const seconds since = std::chrono::duration<double, std::nano>(exposure_.current_wait.since);
    out.waited = (now - since).count();
  }

  void add_peers(live_rank& out) const {
    const auto ports = memory_.read_all(exposure_.ports, exposure_.ranks);
    const auto received = memory_.read_all(exposure_.received, exposure_.ranks);
    const auto traffic = memory_.read_all(exposure_.traffic, exposure_.ranks);
    if (ports.empty() || received.empty() || traffic.empty()) return;
    for (am_rank rank = 0; rank < exposure_.ranks; ++rank) {
      live_peer peer{rank, {}, 0, 0, {}, traffic[rank]};
      core::set_received(peer.traffic, received[rank]);
      add_port(peer, ports[rank]);
      if (!peer.transport.empty() || peer.traffic.handled != 0 || peer.traffic.requests != 0)
        out.peers.push_back(std::move(peer));
    }
  }

  void add_port(live_peer& peer, const seam::snapshot& port) const {
    seam::sender_credits credits;
    if (port.credits == nullptr || !memory_.read(port.credits, credits)) return;
    peer.transport.assign(port.transport, ::strnlen(port.transport, sizeof port.transport));
    base::make_one_line(peer.transport);  // it goes to a terminal
    peer.unanswered = credits.in_flight();
    peer.credits = credits.limit();
    peer.traffic.requests += credits.sent();
    if (const auto oldest = seam::find_oldest(port.requests, credits, memory_))
      peer.oldest = {handler_name(oldest->handler), oldest->words, oldest->begun};
  }

  const process_memory& memory_;
  const core::exposure exposure_;
  std::vector<seam::inbox::entry> handlers_;
};

}  // namespace

std::optional<std::vector<live_rank>> read_live_ranks(pid_t pid, std::string& why) {
  process_memory memory;
  if (!memory.open(pid, why)) return std::nullopt;
  const unsigned char* const note = memory.find_note("libam", 1);
  std::int64_t offset = 0;
  if (note == nullptr || !memory.read(note, static_cast<void*>(&offset), sizeof offset)) {
    why = base::format("process {} does not use libam", pid);
    return std::nullopt;
  }
  const auto& all = *reinterpret_cast<const core::exposed_endpoints*>(note + offset);
  const std::string version = memory.read_text(all.version);
  if (version != base::version_text) {
    why = base::format(
        "process {} has libam {}, and this is am-info {}: use the am-info of that version", pid,
        version, base::version_text);
    return std::nullopt;
  }
  std::vector<live_rank> found;
  std::array<const core::exposure*, core::exposed_endpoints::most> places{};
  if (!memory.read(&all.endpoints, static_cast<void*>(places.data()), sizeof places)) places = {};
  for (std::size_t i = 0; i < places.size(); ++i) {
    core::exposure one;
    if (places[i] == nullptr || !memory.read(places[i], one)) continue;
    live_rank live = reader(memory, one).all(pid);
    // One that has left meanwhile has freed its tables: what was read there may be anything.
    auto later = places;
    (void)memory.read(&all.endpoints, static_cast<void*>(later.data()), sizeof later);
    if (later[i] == places[i]) found.push_back(std::move(live));
  }
  if (!found.empty()) return found;
  why = base::format("process {} is in no job: it has not joined yet, or has left", pid);
  return std::nullopt;
}

}  // namespace am::detail::info
