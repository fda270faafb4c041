// The trace of one rank: what has left its windows is read through a mapping, and then the window.
// A trace that was cut off ends with its last whole record, a hole in it is passed over, and what a
// file claims is never believed beyond its size.
#pragma once

#include <libam/tools/am-trace/host_time.hpp>
#include <libam/tools/am-trace/trace_head.hpp>
#include <libam/trace/record.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::traces {

class trace_file {
 public:
  // Throws std::runtime_error with one line.
  explicit trace_file(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const trace::header& head() const noexcept { return head_.header; }
  [[nodiscard]] const trace::moment& last_moment() const noexcept {
    return head().last[head().which_last];
  }

  // The next record that is no name, or null: the end. Names are read on the way. A wait that had
  // not ended comes last, as one that ends with the trace.
  const trace::record* next();
  void rewind() noexcept;
  // That wait, or null; its end is known when all records have been read.
  [[nodiscard]] const trace::record* open_wait() const noexcept {
    return head_.open_wait.what != 0 ? &head_.open_wait : nullptr;
  }
  // That of its host, which outlives it.
  void set_time(const host_time& time) noexcept { time_ = &time; }
  [[nodiscard]] const host_time& time() const noexcept { return *time_; }
  // How many bytes of records are missing in the file.
  [[nodiscard]] std::uint64_t missing_bytes() const noexcept {
    return head().left - head_.left_there;
  }
  // How many records, of those that have been read, are zeros or damaged.
  [[nodiscard]] std::uint64_t unreadable() const noexcept { return unreadable_; }
  // "" if it has none, or none yet.
  [[nodiscard]] std::string_view name(trace::name_of what, std::uint32_t number) const;

 private:
  // The bytes from there on that are one piece of memory; empty behind the last.
  [[nodiscard]] std::span<const std::byte> bytes_from(std::size_t position) const noexcept;
  [[nodiscard]] const trace::record* at(std::size_t position) const noexcept;
  // The rank had written the record there, whole: only the last ones of a rank that has not left
  // may be missing.
  [[nodiscard]] bool is_written() const noexcept {
    return position_ < head_.left_there || head().ended != 0;
  }
  void read_name(const trace::record& one);
  const trace::record* at_end() noexcept;
  void release_read() noexcept;

  std::string path_;
  trace_head head_;
  mapping mapped_;
  std::size_t position_ = 0;  // among the records that have left, and then those in the window
  std::size_t released_ = 0;  // the bytes of the file before it are not in memory
  std::uint64_t unreadable_ = 0;
  std::uint64_t last_end_ = 0;  // of what has been read, in ticks
  bool is_at_end_ = false;
  const host_time* time_ = nullptr;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names_;  // by name_of and number
};

}  // namespace am::detail::traces
