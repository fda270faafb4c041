// A dial that is a function of the message: a shared object with am_dial (am/dial.h), or a table of
// bytes and times in a file.
#pragma once

#include <libam/base/error.hpp>
#include <transports/dial/spinner.hpp>

#include <am/dial.h>
#include <am/types.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace am::detail::dial {

// Lines "BYTES TIME", as in "4096 2us", by ascending bytes; between two lines the time lies on the
// line between them, outside it is that of the nearest line.
class delay_table {
 public:
  // False: `why` says which line is wrong.
  bool read(const std::string& file, std::string& why);
  [[nodiscard]] double ns(std::size_t bytes) const noexcept;

 private:
  std::vector<std::pair<double, double>> points_;  // bytes, ns
};

class delay_function {
 public:
  // From this end: of messages to a peer, or of those from it.
  enum class direction { to_peer, from_peer };

  delay_function(const spinner& clock, am_rank rank, am_rank ranks, direction which);

  // `dial`: its name, for messages. An empty `file`: there is none.
  am_status load(const char* dial, const std::string& file);
  [[nodiscard]] bool exists() const noexcept { return !pairs_.empty(); }

  // For how much longer the message takes that is here at `now`. Once for each message. 0: there is
  // no function.
  ticks operator()(am_rank peer, std::size_t bytes, ticks now) noexcept {
    return exists() ? delay_of(peer, bytes, now) : 0;
  }

 private:
  struct pair {
    std::uint64_t number = 0;
    std::int64_t last = 0;
    std::array<std::uint64_t, 8> state{};
  };

  ticks delay_of(am_rank peer, std::size_t bytes, ticks now) noexcept;

  const spinner& clock_;
  const am_rank rank_;
  const am_rank ranks_;
  const direction which_;
  decltype(&am_dial) function_ = nullptr;
  delay_table table_;
  std::vector<pair> pairs_;  // by peer; empty: there is no function
};

}  // namespace am::detail::dial
