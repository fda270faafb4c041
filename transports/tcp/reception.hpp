// Where a rank listens: strangers come in, and few of them, for a short time, until they have
// proved that they are ranks of this job.
#pragma once

#include <libam/base/fd.hpp>
#include <transports/tcp/handshake.hpp>
#include <transports/tcp/watcher.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace am::detail::tcp {

class reception {
 public:
  using clock = std::chrono::steady_clock;

  // `doors` listen and are watched, each under its number.
  reception(std::vector<base::fd> doors, watcher& sockets, const identity& me) noexcept;

  [[nodiscard]] std::span<const base::fd> doors() const noexcept { return doors_; }

  // Lets in some who have come to a door. They may have said something already: hear them now,
  // before another newcomer takes the place.
  std::vector<std::uint32_t> open_door(std::uint32_t number, clock::time_point now);
  // A visitor's socket has something: the rank that it has proved to be, if that is done now.
  std::optional<am_rank> hear(std::uint32_t number);
  // To a visitor that is proven: its connection serves. Nothing: it has gone.
  std::optional<line> welcome(std::uint32_t number);
  // Or it ends, and why.
  void dismiss(std::uint32_t number, verdict why);

  // Turns out who is slow to prove himself, and opens the door again that had to be shut.
  void tend(clock::time_point now);
  // When that is due; never while nobody is there.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  struct guest {
    std::uint32_t number;
    clock::time_point came;
    visitor who;
    std::string from;  // its address
  };

  std::list<guest>::iterator find(std::uint32_t number) noexcept;
  [[nodiscard]] static clock::time_point deadline_of(const guest& one) noexcept;
  bool let_in(base::fd socket, clock::time_point now);
  void shut_doors(clock::time_point now) noexcept;
  bool turn_away(int door, int why);
  // What it has done wrong; or that it ends without anything wrong.
  void refuse(std::list<guest>::iterator which, std::string_view why);
  void part_with(std::list<guest>::iterator which, std::string_view why);
  void close(std::list<guest>::iterator which);

  std::vector<base::fd> doors_;
  base::fd spare_;  // a descriptor to have when there are no more
  watcher& sockets_;
  const identity& me_;
  std::list<guest> guests_;  // the oldest first
  std::uint32_t next_number_ = 0;
  unsigned refused_ = 0;
  bool has_turned_away_ = false;
  clock::time_point shut_until_ = clock::time_point::max();  // never: it is open
};

}  // namespace am::detail::tcp
