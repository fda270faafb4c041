// am-shm, am-tcp and am-ucx: libam as an ordinary program uses it: default settings, handlers in
// another file; the transport is the one that AM_TRANSPORT names, or the fastest. Started by
// `am-run -n 2`; with --idle by `am-run -n 17`, where rank 0 polls for 16 peers that have spoken
// and are now asleep; with --signature also alone, where it sends to itself; with --pairs in a job
// of any size; with --validate by `am-run -n K`, K even and at least 4.
#include <am/am.hpp>
#include <calib/layers/am_bulk.hpp>
#include <calib/layers/am_crew.hpp>
#include <calib/layers/am_exchange.hpp>
#include <calib/layers/am_handlers.hpp>
#include <calib/layers/am_mediums.hpp>
#include <calib/layers/am_pairs.hpp>
#include <calib/layers/am_pieces.hpp>
#include <calib/layers/sleepers.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pin.hpp>
#include <calib/program/prtt.hpp>
#include <calib/program/script.hpp>
#include <calib/program/signature.hpp>
#include <calib/program/stage.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace {

using namespace calib;

class am_layer {
 public:
  am_layer(am::endpoint& ep, ledger& here, am::rank_id peer)
      : ep_(ep), here_(here), peer_(peer), answers_(here.answers) {}

  void post() { send<posted>(); }
  void ask() {
    send<asked>();
    ++answers_;
  }
  void drain() {
    ep_.wait([this] { return here_.answers == answers_; });
  }
  void ping() {
    ask();
    drain();
  }
  // A single poll, where the answer is there.
  void take() {
    while (here_.answers != answers_) ep_.poll();
  }
  // The library has at most 4096 requests on their way to a rank, in a ring of at most 4096 slots.
  [[nodiscard]] std::uint64_t flood_length() const { return std::uint64_t{50} * 4096; }
  [[nodiscard]] bool intact() const { return here_.sum_there == sum_of_first(sent_); }
  void ask_blind() {
    if (!try_ask()) report::fault("no room for a request, though the window is not full");
  }
  // So many requests go without an answer that is read.
  [[nodiscard]] std::uint64_t window() {
    std::uint64_t count = 0;
    while (try_ask()) ++count;
    drain();
    return count;
  }

 private:
  template <auto Handler>
  void send() {
    const message m = numbered(sent_++);
    ep_.request<Handler>(peer_, m.words[0], m.words[1], m.words[2], m.words[3]);
  }

  bool try_ask() {
    const message m = numbered(sent_);
    if (ep_.try_request<asked>(peer_, m.words[0], m.words[1], m.words[2], m.words[3]) != AM_OK)
      return false;
    ++sent_;
    ++answers_;
    return true;
  }

  am::endpoint& ep_;
  ledger& here_;
  am::rank_id peer_;
  std::uint64_t sent_ = 0;
  am::word answers_;
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

// Memory that bulk data goes into and out of, its lines numbered; collective.
am::segment numbered_segment(am::endpoint& ep, std::size_t room) {
  am::segment all = ep.all_segments(room);
  number_lines(static_cast<std::byte*>(all.address()), room);
  ep.job_fence();
  return all;
}

std::optional<am::segment> segment_for(am::endpoint& ep, const options& from) {
  const std::size_t room = room_for(from.bytes);
  if (room == 0) return std::nullopt;
  return numbered_segment(ep, room);
}

void measure_pair(am::endpoint& ep, ledger& here, const options& from) {
  const std::optional<am::segment> all = segment_for(ep, from);
  if (ep.rank() == 1) return follow_mediums(ep, here);
  script play(side::asking, from);
  am_layer layer(ep, here, 1);
  play.rtt(layer, "default");
  play.flood(layer, "default");
  play.rr_flood(layer, "default");
  play.rtt_after_flood(layer, "default");
  am_mediums payloads(ep, here);
  play.medium(payloads, "default");
  if (all) measure_bulk(ep, here, *all, play);
  ep.request<told_to_leave>(1);
}

// Stores change what would be got.
template <class Sink>
void measure_pieces(am::endpoint& ep, ledger& here, const am::segment& all, am::rank_id peer,
                    const stage& with, Sink& told, const thoroughness& how) {
  am_pieces gets(operation::get, ep, here, all, peer);
  sizes(gets, with, told, how).take();
  am_exchange mixed(ep, here, all, peer);
  take_exchange(mixed, with, told, how);
  am_pieces stores(operation::store, ep, here, all, peer);
  sizes(stores, with, told, how).take();
  // A processor that answers itself has no time of its own beside its messages.
  if (peer != ep.rank()) prtt(stores, with, told, how).take();
  am_pieces mediums(operation::medium, ep, here, all, peer);
  sizes(mediums, with, told, how).take();
}

// Rank 0 alone asks; `peer` may be itself, but is none whom it has asked before.
template <class Sink>
void calibrate_with(am::endpoint& ep, ledger& here, const am::segment& all, am::rank_id peer,
                    Sink& told, const options& from) {
  const stage with;
  const thoroughness how{from.samples, from.sample_us * 1e3};
  here.numbered = {};
  am_layer layer(ep, here, peer);
  signature(layer, with, told, how).take();
  measure_pieces(ep, here, all, peer, with, told, how.for_sizes());
}

// Where rank 0 is alone it answers itself.
void measure_signature(am::endpoint& ep, ledger& here, const options& from) {
  const am::rank_id peer = ep.ranks() - 1;
  const am::segment all = numbered_segment(ep, am_pieces::room);
  if (ep.rank() != 0) {
    ep.wait([&] { return here.leave; });
    return;
  }
  if (peer == ep.rank()) report::note("alone", "the processor answers itself");
  reporter told;
  calibrate_with(ep, here, all, peer, told, from);
  ep.request<told_to_leave>(peer);
}

// The other ranks are asleep meanwhile.
void measure_pairs(am::endpoint& ep, ledger& here, const options& from) {
  const std::vector<whereabouts> ranks = places_of(ep);
  const am::segment all = numbered_segment(ep, am_pieces::room);
  if (ep.rank() != 0) {
    ep.wait([&] { return here.leave; });
    return;
  }
  for (const auto& [name, peer] : choose_pairs(ranks)) {
    pair_reporter told(name);
    told.note("peer", std::to_string(peer));
    if (may_share_a_cpu(ranks[0], ranks[peer]))
      told.note("shared", "ranks 0 and " + std::to_string(peer) +
                              " may both run on one CPU: am-run --bind core keeps them apart");
    calibrate_with(ep, here, all, peer, told, from);
  }
  for (am::rank_id rank = 1; rank < ep.ranks(); ++rank) ep.request<told_to_leave>(rank);
}

// How many requests go to rank 1 without an answer, once rank 0 has asked everybody a lot.
std::uint64_t window_among(am::endpoint& ep, ledger& here, const stage& with) {
  std::uint64_t window = 0;
  for (am::rank_id rank = ep.ranks() - 1; rank > 0; --rank) {
    am_layer layer(ep, here, rank);
    probe::break_in(layer, with);
    window = layer.window();
  }
  return window;
}

void measure_validation(am::endpoint& ep, ledger& here, const options& from) {
  if (ep.rank() != 0) return follow(ep, here);
  const stage with;
  reporter told;
  const thoroughness how{from.samples, from.sample_us * 1e3};
  const std::uint64_t window = window_among(ep, here, with);
  told.note("window", std::to_string(window));
  am_crew crew(ep, here, window);
  validation(crew, with, told, how.for_sizes()).take();
  for (am::rank_id rank = 1; rank < ep.ranks(); ++rank) ep.request<told_to_leave>(rank);
}

// Every peer and rank 0 have spoken to each other, both ways, before the peers fall asleep.
void measure_idle(am::endpoint& ep, ledger& here, const options& from) {
  sleepers bedroom(ep);
  if (ep.rank() != 0) {
    am_layer(ep, here, 0).ping();
    ep.wait([&] { return here.leave; });
    ep.job_fence();
    bedroom.sleep();
    return;
  }
  for (am::rank_id peer = 1; peer < ep.ranks(); ++peer) {
    am_layer(ep, here, peer).ping();
    ep.request<told_to_leave>(peer);
  }
  ep.job_fence();
  bedroom.await();
  script play(side::asking, from);
  am_idle layer(ep);
  play.idle_poll(layer, "default");
  bedroom.wake();
}

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  const options from = parse(argc, argv);
  const am::rank_id least = from.signature ? 1 : from.validate ? 4 : 2;
  if (ep.ranks() < least || (from.validate && ep.ranks() % 2 != 0))
    report::fault(from.validate ? "needs 4 processes, or 6, or 8: am-run -n 4"
                                : "needs 2 processes: am-run -n 2");
  ledger here;
  ep.set_context(&here);
  if (ep.rank() < 2 && !from.pairs) pin(static_cast<int>(ep.rank()));
  if (ep.rank() == 0) report::note("version", std::string("libam ") + am_version());

  if (from.signature)
    measure_signature(ep, here, from);
  else if (from.pairs)
    measure_pairs(ep, here, from);
  else if (from.validate)
    measure_validation(ep, here, from);
  else if (from.idle)
    measure_idle(ep, here, from);
  else
    measure_pair(ep, here, from);
  const bool last_word = ep.rank() == 0 || from.pairs;  // then every rank has one who listens
  ep.close();
  if (last_word) report::done();
} catch (const am::error& error) {
  report::fault(error.what());
}
