// Ranks of one host or of many over sockets: a connection for each pair, made on first contact from
// either side, and proved before the first frame.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/packed/peers.hpp>
#include <libam/packed/rare_looks.hpp>
#include <libam/seam/plain.hpp>
#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/channel.hpp>
#include <transports/tcp/dialler.hpp>
#include <transports/tcp/reception.hpp>
#include <transports/tcp/vigil.hpp>
#include <transports/tcp/watcher.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace am::detail::tcp {

class tcp_transport final : public seam::plain_transport, private channel_keeper {
 public:
  // `doors` listen and are watched.
  tcp_transport(const seam::host& host, const seam::job_secret& secret, watcher sockets,
                std::vector<base::fd> doors);
  ~tcp_transport() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "tcp"; }
  [[nodiscard]] std::vector<std::byte> address() const override;
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities can() const noexcept override { return tcp_can; }
  unsigned poll(unsigned budget) noexcept override;
  unsigned last_words(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return host_.settings.max_medium;
  }
  am_status flush() noexcept override;
  void leave() noexcept override { leaving_ = true; }
  [[nodiscard]] int wake_descriptor() const noexcept override { return sockets_.descriptor(); }
  std::chrono::nanoseconds arm() noexcept override;

 private:
  using clock = std::chrono::steady_clock;

  // A channel that has spoken lately is read without asking whether there is something.
  struct talker {
    channel* who;
    clock::time_point spoke;
    unsigned times = 0;   // in this conversation
    bool watched = true;  // by sockets_
  };

  // ---- channel_keeper ----
  void has_input(channel& one) noexcept override;
  void waits_for_socket(channel& one, bool waits) noexcept override;
  void is_lost(channel& one, std::string_view why, packed::sign of) noexcept override;
  void close(base::fd socket) noexcept override;

  channel& channel_to(am_rank peer);
  void establish(am_rank peer, line made, std::string_view how);
  void talks(channel& one, clock::time_point now) noexcept;
  void heard(talker& one, clock::time_point now) noexcept;
  void watch_again(talker& one) noexcept;
  unsigned take_from(channel& one, unsigned budget) noexcept;
  unsigned listen_to_talkers(clock::time_point now, unsigned budget) noexcept;
  unsigned look_at_sockets(clock::time_point now, unsigned budget) noexcept;
  void hear_visitor(std::uint32_t number);

  const seam::host host_;
  const identity me_;
  watcher sockets_;
  reception reception_;
  dialler dialler_;
  vigil vigil_;
  std::optional<bad_network> bad_network_;
  peers peers_;
  std::vector<talker> talkers_;
  packed::rare_looks pace_;
  std::size_t turn_ = 0;  // which talker comes first
  bool leaving_ = false;
  bool has_had_contact_ = false;
};

seam::make_transport make;

}  // namespace am::detail::tcp
