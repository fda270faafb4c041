// am-run --agent: the ranks of one host of a job and the agents below it, for the am-run or the
// agent that has started it. It reads commands from its standard input and writes events to its
// standard output (host_frames.hpp).
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-run/job/host_set.hpp>
#include <libam/tools/am-run/ranks/local_host.hpp>
#include <libam/tools/am-run/remote/frame_pipe.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/remote/relay.hpp>
#include <libam/tools/am-run/remote/remote_host.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>
#include <libam/tools/am-run/streams/forwarded_input.hpp>
#include <libam/tools/am-run/streams/forwarded_output.hpp>
#include <libam/tools/am-run/streams/signals.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace am::detail::run {

class agent {
 public:
  agent();

  // To the end of its ranks, or of the connection. Returns the exit status.
  int run();

 private:
  bool on_frame(host_frame kind, seam::bytes_view body);
  bool on_command(host_frame kind, seam::bytes_view body);
  bool on_rank_command(host_frame kind, seam::bytes_view body);
  bool on_forwarding_frame(host_frame kind, seam::bytes_view body);
  [[nodiscard]] bool has_order() const noexcept { return !order_.hosts.empty(); }
  forwarded_output::taker forward_to(output_stream stream);
  // Null: there is no such stream.
  [[nodiscard]] forwarded_output* stream_of(std::uint32_t which);
  void prepare();
  void check_host();
  void add_local_host(launch_plan plan);
  void add_hosts_below();
  // Waits for events, at most so long.
  void wait(int milliseconds);
  void read_signals();
  void work();
  void drain_output();
  [[noreturn]] void end_at_once();

  signals signals_;
  event_loop loop_;
  frame_pipe pipe_;
  relays up_{pipe_};
  forwarded_output output_;
  forwarded_output errors_;
  input_writer input_;
  host_set hosts_;               // after `start`; none if that has failed
  local_host* local_ = nullptr;  // in hosts_; null: it has failed, or only checks
  std::vector<remote_host*> below_;
  start_order order_;
  base::settings settings_;
  const std::vector<std::string> original_environment_ = remote_shell::own_environment();
  bool stopped_ = false;  // am-run is, with all ranks
};

}  // namespace am::detail::run
