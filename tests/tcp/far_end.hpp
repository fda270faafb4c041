// The other end of a channel, played by hand: a socket, frames that a peer might send, and what
// came out of the channel's own.
#pragma once

#include "../support/blackboard_boot.hpp"
#include "../support/recorder.hpp"
#include "../wire/messages.hpp"

#include <libam/base/settings.hpp>
#include <transports/tcp/channel.hpp>

#include <string>
#include <vector>

namespace am_test {

namespace packed = am::detail::packed;
namespace tcp = am::detail::tcp;
namespace seam = am::detail::seam;
namespace base = am::detail::base;

// Keeps what a channel says to its transport.
class keeper final : public tcp::channel_keeper {
 public:
  void has_input(tcp::channel&) noexcept override {}
  void waits_for_socket(tcp::channel&, bool waits) noexcept override { waiting = waits; }
  void is_lost(tcp::channel&, std::string_view why, packed::sign of) noexcept override {
    lost = why;
    may_be_dead = of == packed::sign::of_death;
  }
  void close(base::fd) noexcept override {}

  bool waiting = false;
  std::string lost;
  bool may_be_dead = false;
};

// Rank 0 of 2, its channel to rank 1, and rank 1's socket.
class pair {
 public:
  explicit pair(std::uint32_t credits, std::string_view faults = {});

  // As core does: takes a credit and sends.
  void request(am_word word);
  void open();
  void open_encrypted(const tcp::session_keys& keys);
  // Rank 1 says this in one frame, with `silent` in its header.
  void say(std::initializer_list<wire::message> all, std::uint32_t silent = 0);
  void say_bytes(std::span<const std::byte> all);
  void hang_up() { far_ = {}; }
  // The messages that have come to rank 1 since this was last asked; bulk data apart.
  std::vector<wire::message> heard();

  blackboard_boot boot{0, 2};
  base::settings settings;
  recorder seen;
  keeper keeps;
  tcp::peers peers;
  tcp::bad_network network;
  tcp::channel channel;
  bytes bulk;                      // that came behind frames, without what fills up
  std::uint32_t silent_heard = 0;  // in the header of the last of them

  wire::packer packer;

 private:
  base::fd near_;
  base::fd far_;
  void drop(std::size_t count);
  void take_bulk();

  bytes stream_;
  std::size_t bulk_due_ = 0;
  std::size_t zeros_due_ = 0;
  wire::unpacker unpacker_;
};

}  // namespace am_test
