// am-shm, am-tcp and am-ucx: libam as an ordinary program uses it, with default settings and
// handlers in another file, over the transport that AM_TRANSPORT names, or the fastest. Started by
// `am-run -n 2`; with --in-job by any launcher on two hosts; with --idle by `am-run -n 17`, where
// rank 0 polls for 16 peers that are connected and asleep; with --signature also as a single
// process that sends to itself; with --dialled by `am-run -n 2`; with --pairs in a job of any size;
// with --validate by `am-run -n K`, K even and at least 4.
#include <am/am.hpp>
#include <calib/layers/am_bulk.hpp>
#include <calib/layers/am_handlers.hpp>
#include <calib/layers/am_locations.hpp>
#include <calib/layers/am_mediums.hpp>
#include <calib/layers/am_multi_rank.hpp>
#include <calib/layers/am_pieces.hpp>
#include <calib/layers/sleeping_peers.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/dial_probe.hpp>
#include <calib/program/exchange_probe.hpp>
#include <calib/program/message.hpp>
#include <calib/program/probe_runner.hpp>
#include <calib/program/prtt_probe.hpp>
#include <calib/program/signature_probe.hpp>
#include <calib/program/wake_up_probe.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace {

using namespace calib;

class am_layer {
 public:
  am_layer(am::endpoint& ep, handler_state& state, am::rank_id peer)
      : ep_(ep), state_(state), peer_(peer), replies_(state.replies) {}

  void post() { send<on_post>(); }
  void request() {
    send<on_request>();
    ++replies_;
  }
  void drain() {
    ep_.wait([this] { return state_.replies == replies_; });
  }
  void ping() {
    request();
    drain();
  }
  // A single poll if the reply has arrived.
  void receive_reply() {
    while (state_.replies != replies_) ep_.poll();
  }
  // libam has at most 4096 requests in flight to a rank, in a ring of at most 4096 slots.
  [[nodiscard]] std::uint64_t flood_length() const { return std::uint64_t{50} * 4096; }
  [[nodiscard]] bool intact() const { return state_.remote_sum == sum_of_first(sent_); }
  void request_without_poll() {
    if (!try_request()) report::fault("no room for a request, though the window is not full");
  }
  // The requests that can be sent before a reply is read.
  [[nodiscard]] std::uint64_t window() {
    std::uint64_t count = 0;
    while (try_request()) ++count;
    drain();
    return count;
  }

 private:
  template <auto Handler>
  void send() {
    const message m = make_message(sent_++);
    ep_.request<Handler>(peer_, m.words[0], m.words[1], m.words[2], m.words[3]);
  }

  bool try_request() {
    const message m = make_message(sent_);
    if (ep_.try_request<on_request>(peer_, m.words[0], m.words[1], m.words[2], m.words[3]) != AM_OK)
      return false;
    ++sent_;
    ++replies_;
    return true;
  }

  am::endpoint& ep_;
  handler_state& state_;
  am::rank_id peer_;
  std::uint64_t sent_ = 0;
  am::word replies_;
};

class am_idle {
 public:
  explicit am_idle(am::endpoint& ep) : ep_(ep) {}
  void poll() { found_ += ep_.poll(); }
  [[nodiscard]] std::uint64_t silent_peers() const { return ep_.ranks() - 1; }
  [[nodiscard]] bool intact() const { return found_ == 0; }

 private:
  am::endpoint& ep_;
  unsigned found_ = 0;
};

// Memory for bulk data, its lines numbered; collective.
am::segment numbered_segment(am::endpoint& ep, std::size_t memory_bytes) {
  am::segment all = ep.all_segments(memory_bytes);
  number_lines(static_cast<std::byte*>(all.address()), memory_bytes);
  ep.job_fence();
  return all;
}

std::optional<am::segment> segment_for(am::endpoint& ep, const options& opts) {
  const std::size_t memory_bytes = bulk_memory_for(opts.bytes);
  if (memory_bytes == 0) return std::nullopt;
  return numbered_segment(ep, memory_bytes);
}

// Of two ranks on different hosts.
void note_shared_cpu(am::endpoint& ep) {
  const std::vector<rank_location> ranks = gather_locations(ep);
  const std::string why = shared_cpu(ranks, 1);
  if (ep.rank() == 0 && !why.empty()) report::note("shared", why);
}

void measure_pair(am::endpoint& ep, handler_state& state, const options& opts) {
  if (opts.in_job) note_shared_cpu(ep);
  const std::optional<am::segment> all = segment_for(ep, opts);
  if (ep.rank() == 1) return run_medium_peer(ep, state);
  probe_runner runner(side::requester, opts);
  am_layer layer(ep, state, 1);
  runner.rtt(layer, "default");
  runner.flood(layer, "default");
  runner.rr_flood(layer, "default");
  runner.rtt_after_flood(layer, "default");
  am_mediums payloads(ep, state);
  runner.medium(payloads, "default");
  if (all) measure_bulk(ep, state, *all, runner);
  ep.request<on_leave>(1);
}

// Gets first, because stores change their data.
template <class Sink>
void measure_pieces(am::endpoint& ep, handler_state& state, const am::segment& all,
                    am::rank_id peer, const processor& cpu, Sink& sink, const sample_plan& plan) {
  const bulk_buffer mine(piece_memory_bytes);
  am_pieces gets(operation::get, ep, state, all, peer, mine);
  size_probe(gets, cpu, sink, plan).measure();
  am_exchange mixed(ep, state, all, peer, mine);
  measure_exchange(mixed, cpu, sink, plan);
  am_pieces stores(operation::store, ep, state, all, peer, mine);
  size_probe(stores, cpu, sink, plan).measure();
  // Over self the processor has no time for computation beside its messages.
  if (peer != ep.rank()) prtt_probe(stores, cpu, sink, plan).measure();
  am_pieces mediums(operation::medium, ep, state, all, peer, mine);
  size_probe(mediums, cpu, sink, plan).measure();
}

// At rank 0. `peer` may be rank 0, but no rank that was calibrated before.
template <class Sink>
void calibrate_peer(am::endpoint& ep, handler_state& state, const am::segment& all,
                    am::rank_id peer, Sink& sink, const options& opts) {
  const processor cpu;
  const sample_plan plan = plan_of(opts);
  state.numbered_pieces = {};
  am_layer layer(ep, state, peer);
  signature_probe(layer, cpu, sink, plan).measure();
  if (peer != ep.rank()) measure_wake_up(layer, cpu, sink, plan);
  measure_pieces(ep, state, all, peer, cpu, sink, plan.for_points());
}

// A single rank sends to itself.
void measure_signature(am::endpoint& ep, handler_state& state, const options& opts) {
  const am::rank_id peer = ep.ranks() - 1;
  const am::segment all = numbered_segment(ep, piece_memory_bytes);
  if (ep.rank() != 0) {
    ep.wait([&] { return state.leave; });
    return;
  }
  if (peer == ep.rank()) report::note("alone", "the processor answers itself");
  reporter sink;
  calibrate_peer(ep, state, all, peer, sink, opts);
  ep.request<on_leave>(peer);
}

void measure_dials(am::endpoint& ep, handler_state& state, const options& opts) {
  const am::segment all = numbered_segment(ep, piece_memory_bytes);
  if (ep.rank() != 0) {
    ep.wait([&] { return state.leave; });
    return;
  }
  const processor cpu;
  reporter sink;
  am_layer layer(ep, state, 1);
  const bulk_buffer mine(piece_memory_bytes);
  am_pieces mediums(operation::medium, ep, state, all, 1, mine);
  const sample_plan plan = plan_of(opts);
  dial_probe(layer, mediums, cpu, sink, plan, opts.spacing_us * 1e3).measure();
  ep.request<on_leave>(1);
}

// The other ranks sleep meanwhile.
void measure_pairs(am::endpoint& ep, handler_state& state, const options& opts) {
  const std::vector<rank_location> ranks = gather_locations(ep);
  const am::segment all = numbered_segment(ep, piece_memory_bytes);
  if (ep.rank() != 0) {
    ep.wait([&] { return state.leave; });
    return;
  }
  for (const auto& [name, peer] : choose_pairs(ranks)) {
    pair_reporter sink(name);
    sink.note("peer", std::to_string(peer));
    if (const std::string why = shared_cpu(ranks, peer); !why.empty()) sink.note("shared", why);
    calibrate_peer(ep, state, all, peer, sink, opts);
  }
  for (am::rank_id rank = 1; rank < ep.ranks(); ++rank) ep.request<on_leave>(rank);
}

// The window to rank 1, after many requests of rank 0 to every rank.
std::uint64_t window_to_rank_1(am::endpoint& ep, handler_state& state, const processor& cpu) {
  std::uint64_t window = 0;
  for (am::rank_id rank = ep.ranks() - 1; rank > 0; --rank) {
    am_layer layer(ep, state, rank);
    probe::warm_up_layer(layer, cpu);
    window = layer.window();
  }
  return window;
}

void measure_multi_rank(am::endpoint& ep, handler_state& state, const options& opts) {
  if (ep.rank() != 0) return run_multi_rank_peer(ep, state);
  const processor cpu;
  reporter sink;
  const sample_plan plan = plan_of(opts);
  const std::uint64_t window = window_to_rank_1(ep, state, cpu);
  sink.note("window", std::to_string(window));
  am_multi_rank layer(ep, state, window);
  multi_rank_probe(layer, cpu, sink, plan.for_floods()).measure();
  for (am::rank_id rank = 1; rank < ep.ranks(); ++rank) ep.request<on_leave>(rank);
}

// Rank 0 and every peer exchange messages in both directions before the peers fall asleep.
void measure_idle(am::endpoint& ep, handler_state& state, const options& opts) {
  sleeping_peers sleepers(ep);
  if (ep.rank() != 0) {
    am_layer(ep, state, 0).ping();
    ep.wait([&] { return state.leave; });
    ep.job_fence();
    sleepers.sleep();
    return;
  }
  for (am::rank_id peer = 1; peer < ep.ranks(); ++peer) {
    am_layer(ep, state, peer).ping();
    ep.request<on_leave>(peer);
  }
  ep.job_fence();
  sleepers.wait_until_asleep();
  probe_runner runner(side::requester, opts);
  am_idle layer(ep);
  runner.idle_poll(layer, "default");
  sleepers.wake();
}

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  const options opts = parse(argc, argv);
  const am::rank_id min_ranks = opts.signature ? 1 : opts.validate ? 4 : 2;
  if (ep.ranks() < min_ranks || (opts.validate && ep.ranks() % 2 != 0))
    report::fault(opts.validate ? "needs 4 processes, or 6, or 8: am-run -n 4"
                                : "needs 2 processes: am-run -n 2");
  if (opts.in_job && (ep.ranks() != 2 || ep.host_of(0) == ep.host_of(1))) {
    ep.close();
    report::fault("needs 2 processes on different hosts: am-run --hosts A,B");
  }
  handler_state state;
  ep.set_context(&state);
  if (ep.rank() < 2 && !opts.pairs) pin(static_cast<int>(ep.rank()));
  if (ep.rank() == 0) report::note("version", std::string("libam ") + am_version());

  if (opts.signature)
    measure_signature(ep, state, opts);
  else if (opts.dialled)
    measure_dials(ep, state, opts);
  else if (opts.pairs)
    measure_pairs(ep, state, opts);
  else if (opts.validate)
    measure_multi_rank(ep, state, opts);
  else if (opts.idle)
    measure_idle(ep, state, opts);
  else
    measure_pair(ep, state, opts);
  // With --pairs and --in-job each rank has a driver of its own that waits for this line.
  const bool reports_done = ep.rank() == 0 || opts.pairs || opts.in_job;
  ep.close();
  if (reports_done) report::done();
} catch (const am::error& error) {
  report::fault(error.what());
}
