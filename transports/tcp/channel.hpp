// One pair of ranks over the one connection that they make on first contact from either side.
// Before it stands, what is sent is kept.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/packed/frame_reader.hpp>
#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/input.hpp>
#include <transports/tcp/landing.hpp>
#include <transports/tcp/line.hpp>
#include <transports/tcp/output.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace am::detail::tcp {

class channel;
using peers = packed::peers<channel>;

// Who looks after the sockets of a rank's channels.
class channel_keeper {
 public:
  // Messages have come that no sign of its socket tells of any more.
  virtual void has_input(channel& one) noexcept = 0;
  // The socket takes no more, or it does again: then go_on_sending is due.
  virtual void waits_for_socket(channel& one, bool waits) noexcept = 0;
  virtual void is_lost(channel& one, std::string_view why, packed::sign of) noexcept = 0;
  virtual void close(base::fd socket) noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

inline constexpr seam::capabilities tcp_can{seam::capability::receives_unasked,
                                            seam::capability::network, seam::capability::streams,
                                            seam::capability::wakes};

class channel final : public seam::plain_port {
 public:
  using state = packed::state;

  // `faults`: null for a network as good as it is. Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper,
          bad_network* faults);

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  seam::reach put(seam::transfer& one) noexcept override;
  void look() noexcept override {}  // would be a system call: what has come waits for a poll
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] seam::request_ring exposed() const noexcept override {
    return frames_out_.exposed();
  }
  [[nodiscard]] std::string about_peer() const override;
  [[nodiscard]] std::string about_way() const override {
    return line_.encrypts() ? "encrypted" : "";
  }

  // ---- for the transport ----
  [[nodiscard]] state at() const noexcept { return state_; }
  [[nodiscard]] int socket() const noexcept { return line_.socket(); }
  // The connection stands, and the peer is who it should be.
  void open(line established) noexcept;
  void flush() noexcept;  // the open frame, if there is one
  void go_on_sending() noexcept;
  [[nodiscard]] bool is_flushed() const noexcept {
    return !frames_out_.has_messages() && output_.empty() && puts_.empty() && !line_.holds();
  }
  [[nodiscard]] bool waits() const noexcept { return waiting_; }  // for room in the socket
  // Reads and delivers at most `budget` messages; says how many. Answers leave before it returns.
  unsigned take(unsigned budget) noexcept;
  // A budget has ended among messages that have come already.
  [[nodiscard]] bool has_more() const noexcept {
    return frames_in_.is_inside() || more_ || line_.has_input();
  }
  [[nodiscard]] bool owes() const noexcept { return frames_out_.owes(); }
  // Says in a frame what it owes, if anything.
  void publish() noexcept;
  void say_goodbye() noexcept;
  void lose(std::string_view why, packed::sign of = packed::sign::of_trouble) noexcept;
  // Nothing more comes from there or goes there, and nobody need be told: the state is lost.
  void end() noexcept;

  packed::notes noted;

 private:
  // ---- out: channel.cpp ----
  void send_if(bool now) noexcept;
  void send_frame() noexcept;
  std::span<const std::byte> frame_to_send() noexcept;
  void send_on(std::span<const std::byte> frame) noexcept;
  bool is_short_of_room() noexcept;

  // ---- bulk data out and in: channel_bulk.cpp ----
  void put_on() noexcept;
  void load_piece() noexcept;
  void end_put() noexcept;
  [[nodiscard]] bool is_torn() const noexcept { return promised_ != 0 && output_.is_torn(); }
  bool land() noexcept;
  void land_from_input() noexcept;
  bool land_from_line() noexcept;

  // ---- in: channel_in.cpp ----
  bool read() noexcept;
  bool has_come(ssize_t got) noexcept;
  bool begin_frame() noexcept;
  void deliver(unsigned& budget) noexcept;
  void answer() noexcept;
  void leave() noexcept;

  packed::frame_writer frames_out_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  bool waiting_ = false;  // for the socket
  bool deaf_ = false;     // the peer takes nothing any more
  bool short_of_room_ = false;
  bool more_ = false;     // input_ has bytes that nobody has looked at
  bool drained_ = false;  // this call to take has read all that there was
  peers& peers_;
  channel_keeper& keeper_;
  bad_network* const faults_;
  seam::inbox& arrivals_;
  line line_;
  output output_;
  seam::transfer_queue puts_;  // the first one is on its way
  std::size_t promised_ = 0;   // bytes of it that have been promised in frames
  packed::frame_reader frames_in_;
  input input_;
  landing landing_;
};

}  // namespace am::detail::tcp
