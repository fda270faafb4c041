// Who looks after UCX for the channels of a rank, as they and their parts know it.
#pragma once

#include <libam/packed/peers.hpp>

#include <string_view>

namespace am::detail::ucx {

class channel;
using peers = packed::peers<channel>;

class channel_keeper {
 public:
  // Lets UCX go on without a handler running: what comes is kept for the next poll.
  virtual void progress_quietly() noexcept = 0;
  // Messages have come that wait for a poll.
  virtual void has_input(channel& one) noexcept = 0;
  // A frame has left: an answer may come soon.
  virtual void has_sent() noexcept = 0;
  // As long as one is under way every poll is a look.
  virtual void begins_transfer() noexcept = 0;
  virtual void ends_transfer() noexcept = 0;
  virtual void is_lost(channel& one, std::string_view why, packed::sign of) noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

}  // namespace am::detail::ucx
