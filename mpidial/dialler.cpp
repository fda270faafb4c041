#include <mpidial/dialler.hpp>

#include <libam/base/format.hpp>
#include <mpidial/refuse.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace am::detail::mpidial {

dialler* the_dialler = nullptr;

dialler::dialler(const base::dials& wanted, bool many_threads, std::string& problem)
    : dials_(wanted),
      many_threads_(many_threads),
      times_{spinner_.length_beside_reading(spinner_.of_ns(wanted.o_s)),
             spinner_.length_beside_reading(spinner_.of_ns(wanted.o_r)), spinner_.of_ns(wanted.L),
             spinner_.of_ns(5000)},
      sender_card_(spinner_.of_ns(wanted.g_s),
                   wanted.G * static_cast<double>(spinner_.of_ns(1e6)) / 1e6,
                   {wanted.fragment, wanted.threshold}),
      receiver_card_(spinner_.of_ns(wanted.g_r)) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_dup(MPI_COMM_SELF, &self_);
  communicators_.begin();
  exchange_places(problem);
}

dialler::~dialler() { PMPI_Comm_free(&self_); }

// Stamps are there whenever all processes are on one host, also where only overheads are dialled:
// what they cost is in every run then, and so in no difference of two.
void dialler::exchange_places(std::string& problem) {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  lanes_place here = lanes_.make(size, problem);
  std::vector<lanes_place> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&here, sizeof here, MPI_BYTE, all.data(), sizeof here, MPI_BYTE, MPI_COMM_WORLD);
  const auto is_elsewhere = [&](const lanes_place& one) {
    return one.boot != here.boot || one.pid_namespace != here.pid_namespace;
  };
  const bool one_host = std::ranges::none_of(all, is_elsewhere);
  if (!one_host && holds_back())
    problem =
        "L, g and G need all processes on one host, whose clock they share, and this program "
        "is on several; overheads (o, o_s, o_r) may be dialled there";
  if (!one_host || !problem.empty()) return;
  if (std::ranges::any_of(all, [](const lanes_place& one) { return one.descriptor < 0; })) return;
  lanes_.open(all, rank_, problem);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (!problem.empty()) return;
  for (int from = 0; from < size; ++from) sources_.push_back({stamps(lanes_.from(from)), {}});
}

// The process that is that rank; -1: one whose messages are not dialled.
int dialler::peer_of(const communicator* comm, int rank) const noexcept {
  if (comm == nullptr || rank < 0 || static_cast<std::size_t>(rank) >= comm->peers.size())
    return -1;
  const int peer = comm->peers[static_cast<std::size_t>(rank)];
  return peer == rank_ ? -1 : peer;
}

void dialler::send(MPI_Comm handle, int to, int tag, std::size_t bytes) {
  auto guard = lock();
  const communicator* const comm = communicators_.find(handle);
  const int peer = peer_of(comm, to);
  if (peer < 0) return;
  if (guard) guard.unlock();
  const ticks start =
      times_.send_overhead == 0 ? spinner_.now() : spinner_.spin(times_.send_overhead);
  if (sources_.empty()) return;
  if (many_threads_) guard.lock();
  const ticks leave = sender_card_.send(start, bytes);
  const dial::fragment_sizes sizes = sender_card_.sizes();
  // A byte's dialled time has its own in it.
  const bool timed = dials_.G > 0 && bytes > sizes.threshold;
  write_stamp(peer, entry_kind::message,
              {{comm->id, tag},
               leave,
               static_cast<std::uint32_t>(sizes.count(bytes)),
               timed ? std::uint8_t{0} : size_class_of(bytes),
               leave == start},
              guard);
}

void dialler::withdraw(MPI_Comm handle, int to, int tag) {
  auto guard = lock();
  const communicator* const comm = communicators_.find(handle);
  const int peer = peer_of(comm, to);
  if (peer >= 0 && !sources_.empty())
    write_stamp(peer, entry_kind::withdrawal, {{comm->id, tag}, 0, 0, 0, false}, guard);
}

// A full lane has room again when its reader takes a stamp of this process; the reader may wait for
// room itself.
void dialler::write_stamp(int peer, entry_kind kind, const stamp& of,
                          std::unique_lock<std::mutex>& guard) {
  if (lanes_.add(peer, kind, of)) [[likely]]
    return;
  constexpr auto most = std::chrono::seconds(60);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (source& one : sources_) one.from.keep_all();
    if (guard) guard.unlock();
    progress();
    if (many_threads_) guard.lock();
    if (std::chrono::steady_clock::now() - start > most)
      give_up(
          base::format("rank {} of MPI_COMM_WORLD has not received {} messages of rank {} for "
                       "60 s: more than can be timed",
                       peer, lane_entries, rank_));
  } while (!lanes_.add(peer, kind, of));
}

// Something has sent it without the wrappers here, such as a library in Fortran. From then on
// stamps of that kind of message may belong to others.
void dialler::say_unstamped(int peer) {
  if (std::exchange(said_unstamped_, true)) return;
  say(
      base::format("rank {} of MPI_COMM_WORLD has received a message of rank {} that was not sent "
                   "by a call that is dialled: times are wrong",
                   rank_, peer));
}

dialler::arrival dialler::receive(const communicator* comm, int from, int tag, ticks waiting_since,
                                  bool stays) {
  const auto guard = lock();
  const int peer = peer_of(comm, from);
  if (peer < 0) return {};
  if (sources_.empty()) return {0, 0, true};
  source& one = sources_[static_cast<std::size_t>(peer)];
  const message_key key{comm->id, tag};
  stamp taken;
  stamp* const its = stays ? one.from.peek(key) : one.from.take(key, taken) ? &taken : nullptr;
  if (its == nullptr) {
    say_unstamped(peer);
    return {};
  }
  const ticks now = spinner_.now();
  // Known from the first look at the message on: a program may probe for it many times.
  if (its->arrival == 0) its->arrival = arrival_of(one, *its, now, waiting_since);
  const ticks due = receiver_card_.due(its->arrival, its->fragments);
  if (!stays) receiver_card_.receive(due);
  return {due, now, true};
}

ticks dialler::arrival_of(source& from, const stamp& one, ticks now, ticks waiting_since) {
  if (times_.latency == 0 || dials_.whole_L) return one.leave + times_.latency;
  const bool seen = waiting_since != 0 && waiting_since < one.leave && now > one.leave;
  if (seen && one.lone) from.flight.add(one.size_class, now - one.leave);
  const ticks flight = from.flight.median(one.size_class);
  return (flight == 0 ? std::max(now, one.leave) : one.leave + flight) + times_.latency;
}

void dialler::end_receive(arrival one) const {
  if (!one.dialled) return;
  if (times_.receive_overhead == 0) {
    if (one.due > one.seen) wait_until(one.due);
    return;
  }
  const ticks now = one.seen != 0 ? one.seen : spinner_.now();
  wait_until(std::max(now, one.due) + times_.receive_overhead);
}

// A rank that waits for long must not keep others waiting for what MPI does in its calls.
void dialler::wait_until(ticks then) const {
  for (ticks now = spinner_.now(); now < then; now = spinner_.now())
    if (then - now > times_.longest_pause) progress();
}

ticks dialler::polling_since() noexcept {
  const auto guard = lock();
  const ticks now = spinner_.now();
  if (now - polls_.last > times_.longest_pause) polls_.since = now;
  polls_.last = now;
  return polls_.since;
}

void dialler::progress() const {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self_, &found, MPI_STATUS_IGNORE);
}

}  // namespace am::detail::mpidial
