// The reports of the server of a host's ranks to the job, and the job's commands to it. On one host
// these are calls.
#pragma once

#include <am/types.h>
#include <libam/seam/boot.hpp>

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

namespace am::detail::run {

class rank_events {
 public:
  // A rank of this host is about to join this epoch and waits for its secret.
  virtual void on_secret_wanted(unsigned epoch) = 0;
  virtual void on_joined(am_rank rank, unsigned epoch, pid_t pid) = 0;
  // It waits in a fence; these are its blobs.
  virtual void on_contributed(am_rank rank, unsigned epoch, std::string blobs) = 0;
  // It can be notified of deaths; its own is reported at this offset of the shared memory.
  virtual void on_watching(am_rank rank, unsigned epoch, std::uint64_t exit_report) = 0;
  virtual void on_left(am_rank rank, unsigned epoch) = 0;
  // Its connection has ended without a leave, or has broken the protocol.
  virtual void on_lost(am_rank rank) = 0;
  virtual void on_aborted(am_rank rank, int exit_status, std::string line) = 0;
  // The job cannot go on; am-run is to return this status.
  virtual void on_failed(int exit_status, std::string line) = 0;

 protected:
  ~rank_events() = default;
};

class rank_commands {
 public:
  virtual void set_secret(unsigned epoch, const seam::job_secret& secret) = 0;
  // The fence of this epoch has passed: every rank in it gets this frame.
  virtual void send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) = 0;
  // `rank`, of any host, has died and the others go on: they are notified.
  virtual void retire(am_rank rank, unsigned epoch, std::uint64_t exit_report) = 0;

 protected:
  ~rank_commands() = default;
};

}  // namespace am::detail::run
