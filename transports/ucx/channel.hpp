// One pair of ranks through UCX: an endpoint, frames as eager active messages over it, and bulk
// data that is put where the peer has memory for it.
#pragma once

#include <libam/packed/frame_reader.hpp>
#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <libam/seam/plain.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/segments.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::ucx {

class channel;
using peers = packed::peers<channel>;

// Who looks after UCX for the channels of a rank.
class channel_keeper {
 public:
  // Lets UCX go on without a handler running: what comes is kept for the next poll.
  virtual void progress_quietly() noexcept = 0;
  // Messages have come that wait for a poll.
  virtual void has_input(channel& one) noexcept = 0;
  // As long as one is under way every poll is a look.
  virtual void begins_transfer() noexcept = 0;
  virtual void ends_transfer() noexcept = 0;
  virtual void is_lost(channel& one, std::string_view why, packed::sign of) noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

// Beside waking, which UCX may not be able to.
inline constexpr seam::capabilities ucx_can{seam::capability::receives_unasked,
                                            seam::capability::segments};

class channel final : public seam::plain_port {
 public:
  using state = packed::state;

  // Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper, engine& ucx);

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  void look() noexcept override {}  // would run handlers of others: what has come waits for a poll
  seam::reach put(seam::transfer& one) noexcept override;
  seam::reach get(seam::transfer& one) noexcept override;
  am_word* word_at(am_word* there) noexcept override;
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] seam::request_ring exposed() const noexcept override {
    return frames_out_.exposed();
  }
  [[nodiscard]] std::string about_peer() const override;
  [[nodiscard]] std::string about_way() const override;

  // ---- first contact ----
  // Towards the worker of this address; false and UCX's line if there is no way. `here`: on this
  // host, so that no failure of the way need be told and every way of UCX may serve.
  bool reach_out(std::span<const std::byte> address, bool here, std::string& why);
  [[nodiscard]] bool has_endpoint() const noexcept { return endpoint_ != nullptr; }
  // Asks whether it hears this rank, which is reached by this contact.
  void greet(std::span<const std::byte> contact);
  [[nodiscard]] bool has_greeted() const noexcept { return has_greeted_; }
  // Says something that is no frame.
  void tell(kind what, std::span<const std::byte> bytes);
  // The peer can reach this rank. False: that was known, or the pair is lost.
  bool open() noexcept;
  // And this rank can reach the peer: both have been seen.
  void prove() noexcept { proved_ = true; }
  [[nodiscard]] bool is_proved() const noexcept { return proved_; }
  // Memory that the peer tells of; false: that makes no sense.
  bool learn(std::span<const std::byte> announcement) { return theirs_.learn(announcement); }
  // It is no more; the peer hears when no transfer can be under way there.
  void forget(std::span<const std::byte> announcement);
  void note_loss(std::string_view why) { why_lost_ = why; }
  [[nodiscard]] const std::string& why_lost() const noexcept { return why_lost_; }

  // ---- for the transport ----
  [[nodiscard]] state at() const noexcept { return state_; }
  void flush() noexcept;  // the open frame, if there is one
  // A frame has come. Delivers at most `budget` messages of it and takes them off that; true: it
  // keeps the bytes.
  bool take(std::span<const std::byte> frame, bool lent, unsigned& budget) noexcept;
  // The same for what has been kept.
  void take_kept(unsigned& budget) noexcept;
  // After that: answers leave.
  void answer() noexcept;
  // Says in a frame what it owes, if anything.
  void publish() noexcept;
  void say_goodbye() noexcept;
  [[nodiscard]] bool has_more() const noexcept { return is_next_here(); }
  [[nodiscard]] bool is_flushed() const noexcept {
    return !frames_out_.has_messages() && going_.empty() && transits_.empty();
  }
  // Something is on its way that only progress brings further.
  [[nodiscard]] bool waits() const noexcept {
    return !going_.empty() || std::ranges::any_of(transits_, &transit::is_carried) || flushes();
  }
  void lose(std::string_view why, packed::sign of = packed::sign::of_trouble) noexcept;
  void bury() noexcept;  // the peer is dead
  // Begins to close the endpoint, behind all that was sent. Null, or what to wait for.
  ucs_status_ptr_t close_endpoint() noexcept;
  // Gives back what is UCX's, before that ends.
  void let_go() noexcept;

  packed::notes noted;

 private:
  // What UCX still reads.
  struct parcel {
    channel* of = nullptr;
    wire::packer::room frame;
    std::vector<std::byte> note;  // or what is no frame
    std::size_t bytes = 0;
  };
  // A put or get that UCX carries. A put is over twice: its bytes are read, and they are sure to
  // have arrived, which flush number `flush` tells.
  struct transit {
    channel* of;
    seam::transfer* what;  // null: it has ended, but not for UCX
    const char* call;
    bool is_put = false;
    bool over = false;  // as UCX sees it
    std::uint64_t flush = 0;
    std::list<transit>::iterator self{};

    [[nodiscard]] bool is_carried() const noexcept { return what != nullptr; }
  };

  // ---- out: channel.cpp ----
  void send_if(bool now) noexcept;
  void send_frame() noexcept;
  bool is_short_of_room() noexcept;
  // True: UCX will read the bytes later, and then has_gone(spare_) is called.
  bool send_by_ucx(kind what, std::span<const std::byte> bytes) noexcept;
  parcel& post_spare(std::size_t bytes);
  static void has_gone(void* request, ucs_status_t status, void* posted) noexcept;

  // ---- in: channel_in.cpp ----
  bool begin_frame(std::span<const std::byte> frame) noexcept;
  void deliver(unsigned& budget) noexcept;
  void next_kept(unsigned& budget) noexcept;
  bool keeps(std::uint32_t number, std::span<const std::byte> frame, bool lent) noexcept;
  [[nodiscard]] bool is_next_here() const noexcept {
    return state_ == state::open &&
           (frames_in_.is_inside() || kept_.contains(frames_in_.next_number()));
  }
  void leave() noexcept;
  void end() noexcept;
  void fail(const char* call, ucs_status_t status) noexcept;

  // ---- bulk data: channel_bulk.cpp ----
  [[nodiscard]] bool is_mapped(ucp_rkey_h key, const void* where, void*& here) const noexcept;
  transit* begin_transit(seam::transfer& what, const char* call) noexcept;
  static ucp_request_param_t of_transit(transit& one) noexcept;
  seam::reach carry(transit& one, ucs_status_ptr_t begun) noexcept;
  void has_moved(transit& one, ucs_status_t status) noexcept;
  seam::transfer* end_transit(transit& one) noexcept;
  seam::transfer* let_go(transit& one) noexcept;
  void abandon_transits(bool all) noexcept;
  void end_puts() noexcept;
  void notify(const seam::transfer& what) noexcept;
  void settle() noexcept;
  void begin_flush() noexcept;
  void end_flush(ucs_status_t status) noexcept;
  [[nodiscard]] bool flushes() const noexcept { return flushes_begun_ != flushes_done_; }

  packed::frame_writer frames_out_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  peers& peers_;
  channel_keeper& keeper_;
  seam::inbox& arrivals_;
  packed::frame_reader frames_in_;
  engine& ucx_;
  const std::uint32_t most_ahead_;
  ucp_ep_h endpoint_ = nullptr;
  bool proved_ = false;
  bool has_greeted_ = false;
  std::string why_lost_;
  bool short_of_room_ = false;
  std::size_t going_bytes_ = 0;  // of frames
  std::unique_ptr<parcel> spare_;
  std::map<const parcel*, std::unique_ptr<parcel>> going_;
  std::map<std::uint32_t, arrival> kept_;  // frames by number, also the one that is delivered
  remote_segments theirs_;
  std::list<transit> transits_;  // where they are UCX knows
  std::deque<transit*> puts_;    // of these, in order
  bool buried_ = false;          // the peer is dead, and the pair had not been lost before
  bool given_up_ = false;
  std::vector<std::vector<std::byte>> to_forget_;  // announcements
  bool has_put_ = false;                           // since the last flush began
  std::uint64_t flushes_begun_ = 0;
  std::uint64_t flushes_done_ = 0;
};

}  // namespace am::detail::ucx
