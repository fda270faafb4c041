// One pair of ranks over frames, for transports that share no memory with the peer: what is packed
// when, what comes out of a frame, and who is owed what. It knows no network: who has one carries
// the frames, in order and each once, and says when it cannot any more.
#pragma once

#include <libam/packed/unanswered.hpp>
#include <libam/seam/plain.hpp>
#include <libam/wire/packer.hpp>
#include <libam/wire/unpacker.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace am::detail::packed {

class channel;

// Of what a loss is a sign: a connection that is gone may be the first that is heard of a death,
// which the launcher names; who says what cannot be right is alive.
enum class sign { of_trouble, of_death };

// Who looks after the channels of a rank.
class keeper {
 public:
  // It has an open frame, which leaves at the next poll.
  virtual void has_open_frame(channel& one) noexcept = 0;
  // Credits or room that somebody missed have come.
  virtual void has_news() noexcept = 0;
  virtual void is_lost(channel& one, std::string_view why, sign of) noexcept = 0;

 protected:
  ~keeper() = default;
};

class channel : public seam::plain_port, protected seam::way_back {
 public:
  enum class state { connecting, open, left, lost };

  // ---- for core: the port ----
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  void look() noexcept override {}  // would be a system call: what has come waits for a poll
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] seam::request_ring exposed() const noexcept override {
    return unanswered_.exposed();
  }

  // ---- for the transport ----
  [[nodiscard]] state at() const noexcept { return state_; }
  void flush() noexcept;  // the open frame, if there is one
  [[nodiscard]] bool owes() const noexcept { return silent_.owes(); }
  // Says in a frame what it owes, if anything.
  void publish() noexcept;
  void say_goodbye() noexcept;
  void lose(std::string_view why, sign of = sign::of_trouble) noexcept;
  // Nothing more comes from there or goes there, and nobody need be told: the state is lost.
  virtual void end() noexcept = 0;

  bool listed = false;  // among those with an open frame; the keeper's

 protected:
  enum class check { by_sum, by_rank };

  // Frames of `full_frame` bytes leave; one message more may have made them longer. By rank: where
  // others would have the check they say whose they are. Throws std::bad_alloc.
  channel(const seam::host& host, am_rank to, seam::capabilities of_way, keeper& keeper,
          std::size_t full_frame, check checked);

  // ---- what a way for frames must do ----
  // Takes the closed_frame(): sends it, or keeps it to be sent.
  virtual void close_frame() noexcept = 0;
  // No more payload now; has_news() follows when there is room again.
  virtual bool short_of_room() noexcept = 0;
  // A piece follows the frame that is being delivered. It has to be in its place before the next.
  virtual void expect(const wire::message& piece) noexcept;
  // Of the bytes that a notice tells of: are some not in their place, though they came this way?
  virtual bool has_missed(const wire::message&) noexcept { return false; }

  // ---- what it has for that ----
  std::span<const std::byte> closed_frame() noexcept;
  // The frame that `bytes` begin with is the next to be delivered. False: it is not all there, or
  // the channel is lost.
  bool begin_frame(std::span<const std::byte> bytes) noexcept;
  // At most `budget` messages of that frame, which stays where it is until inside_frame_ is false.
  unsigned deliver(unsigned budget) noexcept;
  // At the end of a poll's share: what is owed and waited for leaves, and so do answers.
  void answer_for_it() noexcept;

  keeper& keeper_;
  seam::inbox& arrivals_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  bool inside_frame_ = false;
  wire::packer packer_;
  wire::unpacker unpacker_;
  seam::owed_counter silent_;

 private:
  // ---- the way back ----
  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override;
  void reply_at(std::uint32_t handler, const am_word* words, void* where) noexcept override;
  void give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept override;

  void request(wire::message& one) noexcept;
  void add(const wire::message& one) noexcept;
  void leave() noexcept;
  void handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept;
  static void handle_answer(seam::inbox::batch& answers, const wire::message& one) noexcept;

  bool hungry_ = false;  // the peer waits for `silent`
  unanswered_requests unanswered_;
};

}  // namespace am::detail::packed
