// One pair of ranks over the one connection that they make on first contact from either side: the
// port, and what the transport does with it. It composes the parts, each with what it knows.
//
//   connection   how it stands, and its end
//   sending      frames on their way into the socket
//   puts         bulk data on its way out
//   receiving    frames and bulk data out of the socket
//
// Before the connection stands, what is sent is kept.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/tcp/connection.hpp>
#include <transports/tcp/puts.hpp>
#include <transports/tcp/receiving.hpp>
#include <transports/tcp/sending.hpp>

#include <string>
#include <string_view>

namespace am::detail::tcp {

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
  seam::reach put(seam::transfer& one) noexcept override { return puts_.begin(one); }
  void look() noexcept override {}  // would be a system call: what has come waits for a poll
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] seam::request_ring exposed() const noexcept override {
    return frames_out_.exposed();
  }
  [[nodiscard]] std::string about_peer() const override {
    return connection_.about(sending_.waits());
  }
  [[nodiscard]] std::string about_way() const override {
    return connection_.line().encrypts() ? "encrypted" : "";
  }

  // ---- for the transport ----
  [[nodiscard]] state at() const noexcept { return connection_.at(); }
  [[nodiscard]] int socket() const noexcept { return connection_.line().socket(); }
  // The connection stands, and the peer is who it should be.
  void open(line established) noexcept;
  void flush() noexcept;  // the open frame, if there is one
  void go_on_sending() noexcept;
  [[nodiscard]] bool is_flushed() const noexcept {
    return !frames_out_.has_messages() && sending_.is_flushed() && puts_.empty();
  }
  [[nodiscard]] bool waits() const noexcept { return sending_.waits(); }  // for the socket
  // Reads and delivers at most `budget` messages; says how many. Answers leave before it returns.
  unsigned take(unsigned budget) noexcept;
  // A budget has ended among messages that have come already.
  [[nodiscard]] bool has_more() const noexcept { return receiving_.has_more(); }
  [[nodiscard]] bool owes() const noexcept { return frames_out_.owes(); }
  // Says in a frame what it owes, if anything.
  void publish() noexcept;
  void say_goodbye() noexcept;
  void lose(std::string_view why) noexcept { connection_.lose(why); }
  // Nothing more comes from there or goes there, and nobody need be told: the state is lost.
  void end() noexcept { connection_.end(); }

  packed::notes noted;

 private:
  [[nodiscard]] bool is_short_of_room() noexcept;
  void send_if(bool now) noexcept;
  void send_frame() noexcept;
  void answer() noexcept;

  peers& peers_;
  packed::frame_writer frames_out_;
  connection connection_;
  sending sending_;
  puts puts_;
  receiving receiving_;
};

}  // namespace am::detail::tcp
