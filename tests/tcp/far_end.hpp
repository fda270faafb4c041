// The other end of a channel, simulated by the test: a socket, frames that a peer might send, and
// the frames that the channel has sent.
#pragma once

#include "../support/recorder.hpp"
#include "../support/simulated_boot.hpp"
#include "../wire/messages.hpp"

#include <libam/base/settings.hpp>
#include <transports/tcp/channel/channel.hpp>

#include <string>
#include <vector>

namespace am_test {

namespace packed = am::detail::packed;
namespace tcp = am::detail::tcp;
namespace seam = am::detail::seam;
namespace base = am::detail::base;

// Records the calls of a channel to its transport.
class recording_manager final : public tcp::channel_manager {
 public:
  void on_input(tcp::channel&) noexcept override {}
  void set_write_interest(tcp::channel&, bool blocked) noexcept override {
    write_blocked = blocked;
  }
  void on_lost(tcp::channel&, std::string_view why, packed::loss_cause of) noexcept override {
    lost = why;
    may_be_dead = of == packed::loss_cause::maybe_death;
  }
  void close(base::fd) noexcept override {}

  bool write_blocked = false;
  std::string lost;
  bool may_be_dead = false;
};

// Rank 0 of 2, its channel to rank 1, and rank 1's socket.
class pair {
 public:
  explicit pair(std::uint32_t credits, std::string_view faults = {});

  // As core does: takes a credit and sends.
  void request(am_word word, am_word last = 0);
  void open();
  void open_encrypted(const tcp::session_keys& keys);
  // Rank 1 sends these in one frame, with `silent` in its header.
  void send_frame(std::initializer_list<wire::message> all, std::uint32_t silent = 0);
  void send_bytes(std::span<const std::byte> all);
  void close_far_end() { far_ = {}; }
  // The messages that rank 1 has received since the last call, without bulk data.
  std::vector<wire::message> received_messages();

  simulated_boot boot{0, 2};
  base::settings settings;
  recorder seen;
  recording_manager manager;
  tcp::peers peers;
  tcp::network_fault_injector injector;
  tcp::channel channel;
  bytes bulk;                         // received behind frames, without padding
  std::uint32_t silent_received = 0;  // in the header of the last frame

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
