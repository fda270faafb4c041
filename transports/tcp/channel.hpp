// One pair of ranks over the one connection that they make on first contact from either side.
// Before it stands, what is sent is kept.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/packed/channel.hpp>
#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/input.hpp>
#include <transports/tcp/landing.hpp>
#include <transports/tcp/line.hpp>
#include <transports/tcp/output.hpp>

#include <string>
#include <utility>

namespace am::detail::tcp {

class channel;

// Who looks after the channels of a rank, and their sockets.
class channel_keeper : public packed::keeper {
 public:
  // Messages have come that no sign of its socket tells of any more.
  virtual void has_input(channel& one) noexcept = 0;
  // The socket takes no more, or it does again: then go_on_sending is due.
  virtual void waits_for_socket(channel& one, bool waits) noexcept = 0;
  virtual void close(base::fd socket) noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

inline constexpr seam::capabilities tcp_can{seam::capability::receives_unasked,
                                            seam::capability::network, seam::capability::streams,
                                            seam::capability::wakes};

class channel final : public packed::channel {
 public:
  // `faults`: null for a network as good as it is. Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, channel_keeper& keeper, bad_network* faults);

  // ---- for core: the port ----
  seam::reach put(seam::transfer& one) noexcept override;
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] std::string about_peer() const override;
  [[nodiscard]] std::string about_way() const override {
    return line_.encrypts() ? "encrypted" : "";
  }

  // ---- for the transport ----
  [[nodiscard]] int socket() const noexcept { return line_.socket(); }
  // The connection stands, and the peer is who it should be.
  void open(line established) noexcept;
  // Reads and delivers at most `budget` messages; says how many. Answers leave before it returns.
  unsigned take(unsigned budget) noexcept;
  // A budget has ended among messages that have come already.
  [[nodiscard]] bool has_more() const noexcept {
    return inside_frame_ || more_ || line_.has_input();
  }
  void go_on_sending() noexcept;
  [[nodiscard]] bool is_flushed() const noexcept {
    return !packer_.has_messages() && output_.empty() && puts_.empty() && !line_.holds();
  }
  [[nodiscard]] bool waits() const noexcept { return waiting_; }  // for room in the socket
  void end() noexcept override;

 private:
  // ---- a way for frames ----
  void close_frame() noexcept override;
  bool short_of_room() noexcept override;
  void expect(const wire::message& piece) noexcept override;
  bool has_missed(const wire::message& notice) noexcept override;

  std::span<const std::byte> frame_to_send() noexcept;
  void put_on() noexcept;
  void load_piece() noexcept;
  void end_put() noexcept;
  [[nodiscard]] bool is_torn() const noexcept { return promised_ != 0 && output_.is_torn(); }
  void send_on(std::span<const std::byte> frame) noexcept;
  bool read() noexcept;
  bool has_come(ssize_t got) noexcept;
  bool land() noexcept;
  bool land_from_line() noexcept;
  bool next_frame() noexcept;
  unsigned deliver_here(unsigned budget) noexcept;

  channel_keeper& sockets_;
  bad_network* const faults_;
  line line_;
  bool more_ = false;     // input_ has bytes that nobody has looked at
  bool waiting_ = false;  // for the socket
  bool deaf_ = false;     // the peer takes nothing any more
  bool drained_ = false;  // this call to take has read all that there was
  bool short_of_room_ = false;
  input input_;
  landing landing_;
  output output_;
  seam::transfer_queue puts_;  // the first one is on its way
  std::size_t promised_ = 0;   // bytes of it that have been promised in frames
};

}  // namespace am::detail::tcp
