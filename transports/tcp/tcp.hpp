// Ranks of one host or of many over sockets: a connection for each pair, made on first contact from
// either side; both ends prove themselves before the first frame.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/packed/keepalive.hpp>
#include <libam/packed/peers.hpp>
#include <libam/packed/poll_backoff.hpp>
#include <libam/seam/plain.hpp>
#include <transports/tcp/channel/channel.hpp>
#include <transports/tcp/connect/acceptor.hpp>
#include <transports/tcp/connect/dialler.hpp>
#include <transports/tcp/link/epoll_set.hpp>
#include <transports/tcp/link/network_fault_injector.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace am::detail::tcp {

class tcp_transport final : public seam::plain_transport, private channel_manager {
 public:
  // `listeners` are watched.
  tcp_transport(const seam::transport_context& context, const seam::job_secret& secret,
                epoll_set sockets, std::vector<base::fd> listeners);
  ~tcp_transport() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "tcp"; }
  [[nodiscard]] std::vector<std::byte> address() const override;
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities caps() const noexcept override { return tcp_caps; }
  unsigned poll(unsigned budget) noexcept override;
  void advance() noexcept override;
  [[nodiscard]] bool has_come(am_rank peer, seam::message_class which) noexcept override;
  unsigned deliver_from(am_rank peer, seam::message_class which, unsigned most) noexcept override;
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return context_.settings.max_medium;
  }
  am_status flush() noexcept override;
  void leave() noexcept override { leaving_ = true; }
  [[nodiscard]] int wake_descriptor() const noexcept override { return sockets_.descriptor(); }
  std::chrono::nanoseconds arm() noexcept override;

 private:
  using clock = std::chrono::steady_clock;

  // A channel with recent input is read without asking the epoll set.
  struct active_channel {
    channel* chan;
    clock::time_point last_input;
    unsigned receive_count = 0;  // since it was last watched
    bool in_epoll = true;        // watched by sockets_
  };

  // ---- channel_manager ----
  void on_input(channel& one) noexcept override;
  void set_write_interest(channel& one, bool blocked) noexcept override;
  void on_lost(channel& one, std::string_view why, packed::loss_cause of) noexcept override;
  void close(base::fd socket) noexcept override;

  channel& channel_to(am_rank peer);
  void establish(am_rank peer, tcp_link made, std::string_view how);
  void mark_active(channel& one, clock::time_point now) noexcept;
  void on_channel_input(active_channel& one, clock::time_point now) noexcept;
  void rewatch(active_channel& one) noexcept;
  unsigned take_from(channel& one, unsigned budget) noexcept;
  unsigned poll_active_channels(clock::time_point now, unsigned budget) noexcept;
  void read_active_channels(clock::time_point now) noexcept;
  void drop_inactive_channels(clock::time_point now) noexcept;
  unsigned poll_sockets(clock::time_point now, unsigned budget) noexcept;
  void advance_incoming(std::uint32_t number);

  const seam::transport_context context_;
  const identity me_;
  epoll_set sockets_;
  acceptor acceptor_;
  dialler dialler_;
  packed::keepalive keepalive_;
  std::optional<network_fault_injector> fault_injector_;
  peers peers_;
  std::vector<active_channel> active_channels_;
  packed::poll_backoff backoff_;
  std::size_t next_active_ = 0;  // the active channel that is read first
  bool leaving_ = false;
  bool descriptor_limit_raised_ = false;
};

seam::make_transport_fn make;

}  // namespace am::detail::tcp
