// The trace of one rank, read through a mapping: a trace that was cut off ends with its last whole
// record, and what a file claims is never believed beyond its size.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/tools/am-trace/host_time.hpp>
#include <libam/trace/record.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::traces {

class trace_file {
 public:
  // Throws std::runtime_error with one line.
  explicit trace_file(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const trace::header& head() const noexcept { return header_; }
  [[nodiscard]] const trace::moment& last_moment() const noexcept {
    return header_.last[header_.which_last];
  }

  // The next record that is no name, or null: the end. Names are read on the way. A wait that had
  // not ended comes last, as one that ends with the trace.
  const trace::record* next();
  void rewind() noexcept;
  // That wait, or null; its end is known when all records have been read.
  [[nodiscard]] const trace::record* open_wait() const noexcept {
    return open_wait_.what != 0 ? &open_wait_ : nullptr;
  }
  // That of its host, which outlives it.
  void set_time(const host_time& time) noexcept { time_ = &time; }
  [[nodiscard]] const host_time& time() const noexcept { return *time_; }
  // "" if it has none, or none yet.
  [[nodiscard]] std::string_view name(trace::name_of what, std::uint32_t number) const;

 private:
  [[nodiscard]] std::size_t size() const noexcept { return mapped_.get_deleter().bytes; }
  [[nodiscard]] const trace::record* at(std::size_t position) const noexcept;
  void read_name(const trace::record& one);
  void read_open_wait() noexcept;
  const trace::record* at_end() noexcept;
  void release_read() noexcept;

  struct mapping {
    void operator()(const std::byte* start) const noexcept;
    std::size_t bytes;
  };

  std::string path_;
  std::unique_ptr<const std::byte[], mapping> mapped_;
  trace::header header_{};
  std::size_t position_ = trace::header_bytes;
  std::size_t released_ = 0;    // the bytes of the file before it are not in memory
  std::uint64_t last_end_ = 0;  // of what has been read, in ticks
  trace::record open_wait_{};
  bool is_at_end_ = false;
  const host_time* time_ = nullptr;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names_;  // by name_of and number
};

}  // namespace am::detail::traces
