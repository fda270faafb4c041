// One stream of output of the ranks of an agent's host: read only as far as am-run has room for it.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace am::detail::run {

class forwarded_output {
 public:
  // `forward` gets what a rank has written; nothing: it writes nothing more.
  using taker = std::function<void(am_rank rank, std::string_view bytes)>;
  forwarded_output(event_loop& loop, taker forward) : loop_(loop), forward_(std::move(forward)) {}

  void add(am_rank rank, base::fd pipe);
  // am-run has room for so many bytes more.
  void grant(std::size_t bytes);
  // No one reads it: the ranks are to notice that.
  void close_all();

  [[nodiscard]] bool done() const noexcept { return open_ == 0; }
  // It waits for am-run, not for the ranks.
  [[nodiscard]] bool congested() const noexcept { return window_ == 0; }

 private:
  struct source {
    am_rank rank;
    base::fd pipe;
    bool watched = false;
  };

  void watch_sources();
  void read_from(source& from);
  void close(source& from);

  event_loop& loop_;
  taker forward_;
  std::vector<std::unique_ptr<source>> sources_;
  std::size_t open_ = 0;
  std::size_t window_ = window_bytes;
  bool closed_ = false;
};

}  // namespace am::detail::run
