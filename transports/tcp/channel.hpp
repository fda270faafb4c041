// One pair of ranks: the messages of both directions, over the one connection that they make on
// first contact from either side. Before it stands, what is sent is kept.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/seam/transport.hpp>
#include <libam/wire/packer.hpp>
#include <libam/wire/unpacker.hpp>
#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/input.hpp>
#include <transports/tcp/landing.hpp>
#include <transports/tcp/line.hpp>
#include <transports/tcp/output.hpp>
#include <transports/tcp/unanswered.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace am::detail::tcp {

class channel;

// Who looks after the channels of a rank.
class channel_keeper {
 public:
  // It has an open frame, which leaves at the next poll.
  virtual void has_open_frame(channel& one) noexcept = 0;
  // Messages have come that no sign of its socket tells of any more.
  virtual void has_input(channel& one) noexcept = 0;
  // The socket takes no more, or it does again: then go_on_sending is due.
  virtual void waits_for_socket(channel& one, bool waits) noexcept = 0;
  // Credits or room that somebody missed have come.
  virtual void has_news() noexcept = 0;
  virtual void is_lost(channel& one, std::string_view why) noexcept = 0;
  virtual void close(base::fd socket) noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

class channel final : public seam::port, private seam::way_back {
 public:
  enum class state { connecting, open, left, lost };

  // `faults`: null for a network as good as it is. Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, channel_keeper& keeper, bad_network* faults);

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  [[nodiscard]] bool ships() const noexcept override { return true; }
  bool ship(seam::shipment& one) noexcept override;
  void look() noexcept override {}  // would be a system call: what has come waits for a poll
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] std::string about_peer() const override;

  // ---- for the transport ----
  [[nodiscard]] state at() const noexcept { return state_; }
  [[nodiscard]] int socket() const noexcept { return line_.socket(); }
  // The connection stands, and the peer is who it should be.
  void open(line established) noexcept;
  // Reads and delivers at most `budget` messages; says how many. Answers leave before it returns.
  unsigned take(unsigned budget) noexcept;
  // A budget has ended among messages that have come already.
  [[nodiscard]] bool has_more() const noexcept {
    return inside_frame_ || more_ || line_.has_input();
  }
  void flush() noexcept;  // the open frame, if there is one
  void go_on_sending() noexcept;
  [[nodiscard]] bool is_flushed() const noexcept {
    return !packer_.has_messages() && output_.empty() && shipping_ == nullptr && !line_.holds();
  }
  [[nodiscard]] bool waits() const noexcept { return waiting_; }  // for room in the socket
  [[nodiscard]] bool owes() const noexcept { return silent_.owes(); }
  // Says in a frame what it owes, if anything.
  void publish() noexcept;
  void say_goodbye() noexcept;
  void lose(std::string_view why) noexcept;
  // Nothing more comes from there or goes there, and nobody need be told.
  void end() noexcept;

  bool listed = false;  // among those with an open frame; the keeper's

 private:
  // ---- the way back ----
  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where) noexcept override;
  void give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept override;

  void request(wire::message& one) noexcept;
  void answer(const wire::message& one) noexcept;
  void add(const wire::message& one) noexcept;
  void close_frame() noexcept;
  std::span<const std::byte> closed_frame() noexcept;
  void load_piece() noexcept;
  void ship_on() noexcept;
  void end_shipment() noexcept;
  [[nodiscard]] bool is_torn() const noexcept { return shipped_ != 0 && output_.is_torn(); }
  void send(std::span<const std::byte> frame) noexcept;
  bool read() noexcept;
  bool has_come(ssize_t got) noexcept;
  bool land() noexcept;
  bool land_from_line() noexcept;
  void leave() noexcept;
  bool open_frame() noexcept;
  unsigned deliver(unsigned budget) noexcept;
  void handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept;
  static void handle_answer(seam::inbox::batch& answers, const wire::message& one) noexcept;

  seam::inbox& arrivals_;
  channel_keeper& keeper_;
  bad_network* const faults_;
  line line_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  bool inside_frame_ = false;
  bool more_ = false;     // input_ has bytes that nobody has looked at
  bool hungry_ = false;   // the peer waits for `silent`
  bool waiting_ = false;  // for the socket
  bool deaf_ = false;     // the peer takes nothing any more
  bool drained_ = false;  // this call to take has read all that there was
  bool short_of_room_ = false;
  wire::packer packer_;
  wire::unpacker unpacker_;
  input input_;
  landing landing_;
  output output_;
  seam::shipment* shipping_ = nullptr;
  std::size_t shipped_ = 0;  // bytes of it that have been promised in frames
  unanswered_requests unanswered_;
  seam::owed_counter silent_;
};

}  // namespace am::detail::tcp
