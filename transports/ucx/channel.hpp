// One pair of ranks through UCX: an endpoint, frames as eager active messages over it, and bulk
// data that is put where the peer has memory for it.
#pragma once

#include <libam/packed/channel.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/segments.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::ucx {

class channel;

// Who looks after the channels of a rank.
class channel_keeper : public packed::keeper {
 public:
  // Lets UCX go on without a handler running: what comes is kept for the next poll.
  virtual void progress_quietly() noexcept = 0;
  // Messages have come that wait for a poll.
  virtual void has_input(channel& one) noexcept = 0;
  // Somebody waits for what UCX does: the next polls are looks.
  virtual void is_waited_for() noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

class channel final : public packed::channel {
 public:
  // Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, channel_keeper& keeper, engine& ucx);

  // ---- for core: the port ----
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  seam::reach put(void* where, const void* data, std::size_t bytes) noexcept override;
  seam::reach get(const void* where, void* to, std::size_t bytes) noexcept override;
  seam::reach reached() noexcept override;
  am_word* word_at(am_word* there) noexcept override;
  [[nodiscard]] bool places() const noexcept override { return !notices_.empty(); }
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
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
  // A frame has come. Delivers at most `budget` messages of it and takes them off that; true: it
  // keeps the bytes.
  bool take(std::span<const std::byte> frame, bool lent, unsigned& budget) noexcept;
  // The same for what has been kept.
  void take_kept(unsigned& budget) noexcept;
  // After that: answers leave.
  void answer() noexcept { answer_for_it(); }
  [[nodiscard]] bool has_more() const noexcept { return is_next_here(); }
  [[nodiscard]] bool is_flushed() const noexcept {
    return !packer_.has_messages() && going_.empty() && notices_.empty();
  }
  // Something is on its way that only progress brings further.
  [[nodiscard]] bool waits() const noexcept { return !going_.empty() || transfers_ || flushes(); }
  void end() noexcept override { state_ = state::lost; }
  // The peer is dead: no transfer comes to its end, and none brings anything any more.
  void bury() noexcept;
  // Begins to close the endpoint, behind all that was sent. Null, or what to wait for.
  ucs_status_ptr_t close_endpoint() noexcept;
  // Gives back what is UCX's, before that ends.
  void let_go() noexcept;

  bool in_debt = false;  // the transport's: it may owe something

 private:
  // A notice whose bytes are not sure to have arrived before flush number `flush` is done.
  struct notice {
    std::uint32_t handler;
    am_word words[AM_WORDS];
    void* where;
    std::size_t bytes;
    std::uint64_t flush;
  };
  // What UCX still reads.
  struct parcel {
    channel* of = nullptr;
    wire::packer::room frame;
    std::vector<std::byte> note;  // or what is no frame
    std::size_t bytes = 0;
  };
  // A put or get that a call waits for.
  struct transfer {
    const char* call = nullptr;
    bool over = false;
    ucs_status_t status = UCS_OK;
  };

  // ---- a way for frames ----
  void close_frame() noexcept override;
  bool short_of_room() noexcept override;

  // True: UCX will read the bytes later, and then has_gone(spare_) is called.
  bool send_by_ucx(kind what, std::span<const std::byte> bytes) noexcept;
  parcel& post_spare(std::size_t bytes);
  static void has_gone(void* request, ucs_status_t status, void* posted) noexcept;

  [[nodiscard]] bool is_mapped(ucp_rkey_h key, const void* where, void*& here) const noexcept;
  ucp_request_param_t of_transfer(const char* call) noexcept;
  seam::reach begin(ucs_status_ptr_t begun) noexcept;
  void notify(std::uint32_t handler, const am_word* words, void* where, std::size_t bytes) noexcept;
  void settle() noexcept;
  void begin_flush() noexcept;
  void end_flush(ucs_status_t status) noexcept;
  [[nodiscard]] bool flushes() const noexcept { return flushes_begun_ != flushes_done_; }

  void next_kept(unsigned& budget) noexcept;
  bool keeps(std::uint32_t number, std::span<const std::byte> frame, bool lent) noexcept;
  [[nodiscard]] bool is_next_here() const noexcept {
    return state_ == state::open && (inside_frame_ || kept_.contains(unpacker_.sequence()));
  }
  void check_length(std::span<const std::byte> frame) noexcept;
  void fail(const char* call, ucs_status_t status) noexcept;

  channel_keeper& ways_;
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
  transfer transfer_;
  bool transfers_ = false;
  bool buried_ = false;
  std::vector<std::vector<std::byte>> to_forget_;  // announcements
  std::deque<notice> notices_;
  bool has_put_ = false;  // since the last flush began
  std::uint64_t flushes_begun_ = 0;
  std::uint64_t flushes_done_ = 0;
};

}  // namespace am::detail::ucx
