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
#include <string>

namespace am::detail::tcp {

class reception {
 public:
  using clock = std::chrono::steady_clock;

  // `listener` listens and is watched.
  reception(base::fd listener, watcher& sockets, const seam::job_secret& secret, am_rank me,
            am_rank ranks) noexcept;

  [[nodiscard]] int socket() const noexcept { return listener_.get(); }

  // Lets in who has come.
  void open_door(clock::time_point now);
  // A visitor's socket has something: the rank that it has proved to be, if that is done now.
  std::optional<am_rank> hear(std::uint32_t number);
  // To a visitor that is proven: what is to become of its connection. Invalid: it has gone.
  base::fd dismiss(std::uint32_t number, verdict what);
  void refuse(std::uint32_t number, std::string_view why) { refuse(find(number), why); }

  void turn_out_the_slow(clock::time_point now);
  // When that is due; never while nobody is there.
  [[nodiscard]] clock::time_point next_deadline() const noexcept;

 private:
  struct guest {
    std::uint32_t number;
    clock::time_point deadline;
    visitor who;
    std::string from;  // its address
  };

  std::list<guest>::iterator find(std::uint32_t number) noexcept;
  void refuse(std::list<guest>::iterator which, std::string_view why);
  void turn_out(std::list<guest>::iterator which);
  void say_goodbye_to(std::list<guest>::iterator which);

  base::fd listener_;
  watcher& sockets_;
  const seam::job_secret& secret_;
  const am_rank me_;
  const am_rank ranks_;
  std::list<guest> guests_;  // the oldest first
  std::uint32_t next_number_ = 0;
  unsigned refused_ = 0;
};

}  // namespace am::detail::tcp
