// Accepts connections: strangers, too, but few at a time and for a short time, until they have
// proved that they are ranks of this job.
#pragma once

#include <libam/base/fd.hpp>
#include <transports/tcp/connect/handshake.hpp>
#include <transports/tcp/link/epoll_set.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace am::detail::tcp {

class acceptor {
 public:
  using clock = std::chrono::steady_clock;

  // `listeners` are watched, each under its number. `refused` counts refused connections.
  acceptor(std::vector<base::fd> listeners, epoll_set& sockets, const identity& me,
           std::uint64_t& refused) noexcept;

  [[nodiscard]] std::span<const base::fd> listeners() const noexcept { return listeners_; }

  // Accepts some of the connections that wait at a listener, and returns their numbers. They may
  // have sent something already: call advance() for each before another one takes its place.
  std::vector<std::uint32_t> accept_connections(std::uint32_t number, clock::time_point now);
  // An event at the socket of a pending connection. The rank that it has proved to be, if the
  // handshake is complete now.
  std::optional<am_rank> advance(std::uint32_t number);
  // For a proven one: its connection is used. Nothing: the peer has closed it.
  std::optional<tcp_link> accept(std::uint32_t number);
  // Closes a proven one with this verdict. It is no refused connection.
  void reject(std::uint32_t number, verdict why);

  // Closes those that are slow to prove themselves, and accepts again after a pause.
  void check_deadlines(clock::time_point now);
  // When that is due; never while there is no pending connection.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  struct pending_connection {
    std::uint32_t number;
    clock::time_point accepted_at;
    listener_handshake handshake;
    std::string from;  // its address
  };

  std::list<pending_connection>::iterator find(std::uint32_t number) noexcept;
  [[nodiscard]] static clock::time_point deadline_of(const pending_connection& one) noexcept;
  bool add_pending(base::fd socket, clock::time_point now);
  void pause_accepting(clock::time_point now) noexcept;
  bool accept_and_close(int listener, int why);
  // close_refused warns: it has not proved its identity, or others take its place. close_ended does
  // not warn.
  void close_refused(std::list<pending_connection>::iterator which, std::string_view why);
  void close_ended(std::list<pending_connection>::iterator which, std::string_view why);
  void close(std::list<pending_connection>::iterator which);

  std::vector<base::fd> listeners_;
  base::fd spare_fd_;  // closed to get a descriptor when there are no more
  epoll_set& sockets_;
  const identity& me_;
  std::list<pending_connection> pending_;  // the oldest first
  std::uint32_t next_number_ = 0;
  std::uint64_t& refused_;  // by close_refused (docs/errors.md#refused-connections)
  bool warned_ = false;
  clock::time_point paused_until_ = clock::time_point::max();  // max: it accepts
};

}  // namespace am::detail::tcp
