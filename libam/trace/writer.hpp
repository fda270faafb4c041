// Records the events of one rank. A record is written into a window of the file that is mapped,
// without a lock and without a system call, except that every 2048 records the window is full and
// is written behind the others, which the trace has an event of. The two windows stay in a cache,
// where pages of a file that are mapped once, ahead of its records, would each cost a fault.
//
// One thread at a time writes: the one that owns the endpoint.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/trace/clock.hpp>
#include <libam/trace/record.hpp>

#include <am/types.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::trace {

class writer {
 public:
  writer() = default;
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer() { close(); }

  struct identity {
    am_rank rank;
    am_rank ranks;
    std::uint64_t host;
    double dilation = 0;
  };
  // Makes the folder if it is not there, and a new file for this rank. At most `most_bytes` are
  // written.
  am_status open(const std::string& folder, const identity& of, std::uint64_t most_bytes);
  void set_job(std::uint64_t job) noexcept { header_->job = job; }
  // The rank has left.
  void close() noexcept;
  // This is the child of a fork: the parent goes on.
  void abandon() noexcept;

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_.now(); }
  [[nodiscard]] std::uint64_t ordered_now() const noexcept { return clock_.ordered_now(); }

  struct event {
    kind what;
    std::uint64_t begin;
    am_rank peer = 0;
    std::uint32_t handler = 0;
    std::uint64_t bytes = 0;
    std::uint32_t sequence = 0;
  };
  // That has ended at `end`.
  void add(const event& one, std::uint64_t end) noexcept {
    if (next_ == end_ && !change_window()) [[unlikely]]
      return;
    record& to = *next_++;
    to.begin = one.begin;
    to.peer = one.peer;
    to.handler = one.handler;
    constexpr std::uint64_t most = ~std::uint32_t{0};
    to.bytes = static_cast<std::uint32_t>(std::min(one.bytes, most));
    to.sequence = one.sequence;
    finish(to, one.what, end > one.begin ? end - one.begin : 0);
  }
  void add(const event& one) noexcept { add(one, now()); }

  void count_retry() noexcept {
    if (header_ != nullptr) ++header_->retries;
  }
  // The wait that this rank is in: a reader finds it in the header until it has ended.
  struct open_wait {
    std::uint64_t begin = 0;  // 0: it is in none
    std::uint64_t call = 0;
  };
  // Returns the one before, which is set again at the end of this one.
  open_wait set_wait(const open_wait& now) noexcept {
    if (header_ == nullptr) return {};
    const open_wait before{header_->wait_begin, header_->wait_call};
    // SYNC(open_wait): with copy_open_wait of am-trace. A reader, or the end of the process,
    // between two of these stores finds no wait, or a whole one: the call changes while there is
    // none.
    const auto store = [](std::uint64_t& to, std::uint64_t value) {
      std::atomic_ref(to).store(value, std::memory_order_release);
    };
    store(header_->wait_begin, 0);
    if (now.begin == 0) return before;
    store(header_->wait_call, now.call);
    store(header_->wait_begin, now.begin);
    return before;
  }

  // A ping of a measurement: the counter of rank `peer` showed `there` between these two.
  void add_clock(std::uint64_t begin, std::uint64_t end, am_rank peer, std::uint32_t measurement,
                 std::uint64_t there) noexcept {
    add({kind::clock, begin, peer, measurement, lower_half(there), upper_half(there)}, end);
  }
  void add_computed(std::uint64_t ns) noexcept {
    const std::uint64_t at = now();
    add({kind::computed, at, 0, 0, lower_half(ns), upper_half(ns)}, at);
  }

  // Defines the name of a handler.
  void name_handler(std::uint32_t number, std::string_view label) noexcept {
    add_name(name_of::handler, number, label);
  }
  // The number of a name, which is defined if it is new. Behind the 4096th, names are not kept.
  std::uint32_t number_of(name_of what, std::string_view name) noexcept;
  // Now and then: so that a reader of a trace that was cut off knows the rate of the ticks.
  void note_time(std::uint64_t now) noexcept;

 private:
  static std::uint64_t lower_half(std::uint64_t value) noexcept {
    return value & ~std::uint32_t{0};
  }
  static std::uint32_t upper_half(std::uint64_t value) noexcept {
    return static_cast<std::uint32_t>(value >> 32U);
  }

  // The kind comes last, in one store: a record with a kind is whole, whenever the process is
  // killed.
  static void finish(record& one, kind what, std::uint64_t duration) noexcept {
    const std::uint64_t value = (static_cast<std::uint64_t>(what) << record::kind_shift) |
                                std::min(duration, record::longest);
    // SYNC(record): with the acquire in copy_records of am-trace, which may read while this rank
    // writes.
    std::atomic_ref(one.what).store(value, std::memory_order_release);
  }
  void add_name(name_of what, std::uint32_t number, std::string_view text) noexcept;
  [[nodiscard]] bool change_window() noexcept;
  void use_window() noexcept;
  void set_last() noexcept;

  trace::clock clock_;
  record* next_ = nullptr;
  record* end_ = nullptr;
  header* header_ = nullptr;  // mapped, with the windows behind it
  std::uint64_t most_bytes_ = 0;
  base::fd file_;
  std::vector<std::string> names_[4];  // by name_of
};

}  // namespace am::detail::trace
