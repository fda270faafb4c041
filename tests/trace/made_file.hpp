// Files of traces that are composed record by record, by clocks that are bent as a test wants them.
#pragma once

#include "made.hpp"

#include <libam/trace/record.hpp>

#include <cmath>
#include <cstring>
#include <vector>

namespace trace_test {

using am::detail::trace::header;
using am::detail::trace::record;

// A counter of 2 GHz that shows `origin` at true time 0, and runs wrong as the host's clock does.
struct bent_counter {
  double origin = 1e12;
  double drift = 0;

  [[nodiscard]] std::uint64_t at(double ns) const {
    return static_cast<std::uint64_t>(std::llround(origin + 2 * ns * (1 + drift)));
  }
};

class made_file {
 public:
  // All times are true, in ns.
  made_file(am_rank rank, am_rank ranks, std::uint64_t host, bent_counter counter)
      : counter_(counter) {
    head_.magic = am::detail::trace::magic;
    head_.job = 42;
    head_.host = host;
    head_.rank = rank;
    head_.ranks = ranks;
    head_.has_counter = 1;
    head_.ended = 1;
    std::strcpy(head_.host_name, ("h" + std::to_string(host)).c_str());
    head_.first = moment_at(0);
  }
  void add(kind what, double begin, double end, std::uint32_t peer = 0, std::uint32_t handler = 0,
           std::uint32_t bytes = 0, std::uint32_t sequence = 0) {
    const std::uint64_t from = counter_.at(begin);
    const std::uint64_t type = static_cast<std::uint64_t>(what) << record::kind_shift;
    records_.push_back({from, type | (counter_.at(end) - from), peer, handler, bytes, sequence});
  }
  // Pings of one measurement: rank `peer` answers at one of many moments between.
  void compare(std::uint32_t number, double when, const bent_counter& there, am_rank peer = 0) {
    constexpr double way = 3000;
    for (int i = 0; i < 20; ++i) {
      const double begin = when + 20'000 * i;
      const double answered = begin + way + 500 * i, end = answered + way + 500 * (20 - i);
      const std::uint64_t shown = there.at(answered);
      add(kind::clock, begin, end, peer, number, static_cast<std::uint32_t>(shown),
          static_cast<std::uint32_t>(shown >> 32U));
    }
  }
  // One ping that is answered after `way`, and whose answer is taken `back` later.
  void ask(std::uint32_t number, double when, double way, double back, const bent_counter& there) {
    const std::uint64_t shown = there.at(when + way);
    add(kind::clock, when, when + way + back, 0, number, static_cast<std::uint32_t>(shown),
        static_cast<std::uint32_t>(shown >> 32U));
  }
  [[nodiscard]] header& head() { return head_; }
  // It has known its clock for that long.
  void write(const folder& in, double length) {
    head_.last[0] = moment_at(length);
    head_.left = records_.size() * sizeof(record);
    std::string bytes(am::detail::trace::windows_end, '\0');
    std::memcpy(bytes.data(), &head_, sizeof head_);
    bytes.append(reinterpret_cast<const char*>(records_.data()), records_.size() * sizeof(record));
    write_file(in.file(("rank-" + std::to_string(head_.rank) + ".amtrace").c_str()), bytes);
  }

 private:
  [[nodiscard]] am::detail::trace::moment moment_at(double ns) const {
    return {counter_.at(ns),
            static_cast<std::uint64_t>(std::llround(1e9 + ns * (1 + counter_.drift)))};
  }

  bent_counter counter_;
  header head_{};
  std::vector<record> records_;
};

}  // namespace trace_test
