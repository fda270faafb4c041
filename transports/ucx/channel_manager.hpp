// The transport, as its channels and their parts know it: what they report to it, and progress
// without delivery.
#pragma once

#include <libam/packed/peers.hpp>

#include <string_view>

namespace am::detail::ucx {

class channel;
using peers = packed::peers<channel>;

class channel_manager {
 public:
  // Lets UCX progress without running a handler: what comes is kept for the next poll.
  virtual void progress_without_delivery() noexcept = 0;
  // Messages have come that wait for a poll.
  virtual void on_input(channel& one) noexcept = 0;
  // A frame was sent: an answer may come soon.
  virtual void on_frame_sent() noexcept = 0;
  // While a transfer is under way every poll polls UCX.
  virtual void on_transfer_begin() noexcept = 0;
  virtual void on_transfer_end() noexcept = 0;
  virtual void on_lost(channel& one, std::string_view why, packed::loss_cause of) noexcept = 0;

 protected:
  ~channel_manager() = default;
};

}  // namespace am::detail::ucx
