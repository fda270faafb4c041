// What a process of a dialled program knows: its dials, its two network cards, the stamps to and
// from others, and the requests that have not ended. The wrappers of MPI's calls (calls/) use it;
// only time is added by it, and MPI alone moves and matches messages.
#pragma once

#include <libam/base/dials.hpp>
#include <mpidial/communicators.hpp>
#include <mpidial/flights.hpp>
#include <mpidial/lanes.hpp>
#include <mpidial/requests.hpp>
#include <mpidial/stamps.hpp>
#include <transports/dial/spinner.hpp>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::mpidial {

class dialler {
 public:
  // MPI has started. `problem`: one line, if the dials cannot be used here.
  dialler(const base::dials& wanted, bool many_threads, std::string& problem);
  ~dialler();
  dialler(const dialler&) = delete;
  dialler& operator=(const dialler&) = delete;

  // Messages are held back here until they are due; otherwise only overheads are dialled, or
  // nothing, and a message is due when it is there.
  [[nodiscard]] bool holds_back() const noexcept {
    return dials_.L > 0 || dials_.g_s > 0 || dials_.g_r > 0 || dials_.G > 0;
  }
  [[nodiscard]] const base::dials& dials() const noexcept { return dials_; }
  [[nodiscard]] ticks now() const noexcept { return spinner_.now(); }
  [[nodiscard]] ticks of_ns(double ns) const noexcept { return spinner_.of_ns(ns); }
  // The state is for one thread at a time. Nothing waits while it is locked.
  [[nodiscard]] std::unique_lock<std::mutex> lock() {
    return many_threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  [[nodiscard]] bool has_threads() const noexcept { return many_threads_; }
  [[nodiscard]] communicators& comms() noexcept { return communicators_; }
  [[nodiscard]] request_table& requests() noexcept { return requests_; }
  // Messages that a matched probe has taken, as receives.
  [[nodiscard]] request_table& messages() noexcept { return messages_; }

  // ---- a message is sent ----
  void send(MPI_Comm comm, int to, int tag, std::size_t bytes);
  // MPI has not sent it.
  void withdraw(MPI_Comm comm, int to, int tag);
  void spend_send_overhead() const noexcept { (void)spinner_.spin(times_.send_overhead); }

  // ---- a message is here ----
  // When it is due, and that it is a dialled one. `waiting_since`: since when this process has done
  // nothing but wait for it; 0: it has not. `stays`: a probe has seen it.
  struct arrival {
    ticks due = 0;
    ticks seen = 0;  // 0: long ago
    bool dialled = false;
  };
  arrival receive(const communicator* comm, int from, int tag, ticks waiting_since,
                  bool stays = false);
  // Waits until it is due, and for the overhead of receiving it.
  void end_receive(arrival one) const;
  void wait_until(ticks then) const;

  // A poll has found nothing: since when nothing but polls has been done here.
  ticks polling_since() noexcept;
  // Lets MPI work.
  void progress() const;

 private:
  struct source {
    stamps from;
    flights flight;
  };

  void say_unstamped(int peer);
  void exchange_places(std::string& problem);
  [[nodiscard]] ticks arrival_of(source& from, const stamp& one, ticks now, ticks waiting_since);
  [[nodiscard]] int peer_of(const communicator* comm, int rank) const noexcept;
  // `guard`: what lock() has returned; it is open while this waits for room.
  void write_stamp(int peer, entry_kind kind, const stamp& of, std::unique_lock<std::mutex>& guard);

  const base::dials dials_;
  const bool many_threads_;
  const dial::spinner spinner_;
  const struct {
    ticks send_overhead;
    ticks receive_overhead;
    ticks latency;
    ticks longest_pause;  // between polls of a process that does nothing else
  } times_;
  bool said_unstamped_ = false;
  std::mutex mutex_;
  int rank_ = 0;
  MPI_Comm self_ = MPI_COMM_NULL;  // of the dialler alone, for progress()
  lanes lanes_;
  dial::sender_card sender_card_;
  dial::receiver_card receiver_card_;
  std::vector<source> sources_;  // by rank in MPI_COMM_WORLD; empty: there are no stamps
  communicators communicators_;
  request_table requests_;
  request_table messages_;
  struct {
    ticks since = 0;
    ticks last = 0;
  } polls_;
};

// Null: nothing is dialled in this process, or MPI has not started, or has ended.
extern dialler* the_dialler;

}  // namespace am::detail::mpidial
