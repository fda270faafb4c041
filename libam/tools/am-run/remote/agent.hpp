// am-run --agent: the ranks of one host of a job, for the am-run that has started the job. It reads
// commands from its standard input and writes events to its standard output (host_frames.hpp), and
// has no agents below it: every agent is started by the job's am-run.
#pragma once

#include <libam/tools/am-run/ranks/local_host.hpp>
#include <libam/tools/am-run/remote/frame_pipe.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>
#include <libam/tools/am-run/remote/relay.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>
#include <libam/tools/am-run/streams/forwarded_input.hpp>
#include <libam/tools/am-run/streams/forwarded_output.hpp>
#include <libam/tools/am-run/streams/signals.hpp>

#include <array>
#include <chrono>
#include <memory>

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
  bool prepare(const start_order& order);
  void fail(int status, std::string line);
  // Waits for events, at most so long.
  void wait(int milliseconds);
  void read_signals();
  void work();
  void drain_output();
  [[noreturn]] void end_at_once();

  signals signals_;
  event_loop loop_;
  frame_pipe pipe_;
  relay relay_;
  std::array<forwarded_output, 2> outputs_;
  input_writer input_;
  std::unique_ptr<local_host> host_;  // after `start`
  bool failed_ = false;               // before anything was started
  std::chrono::seconds peer_timeout_{30};
  bool stopped_ = false;  // am-run is, with all ranks
};

}  // namespace am::detail::run
