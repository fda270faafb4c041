// The requester's end of a channel: sends requests and payload to one peer, reads its replies.
#pragma once

#include <libam/base/shared_memory.hpp>
#include <libam/seam/plain.hpp>
#include <transports/shm/answer_room.hpp>
#include <transports/shm/growth.hpp>
#include <transports/shm/layout.hpp>
#include <transports/shm/payload_out.hpp>
#include <transports/shm/poller.hpp>
#include <transports/shm/remote_memory.hpp>

namespace am::detail::shm {

// Beside waking, for which there may be no bell.
inline constexpr seam::capabilities shm_can{seam::capability::receives_unasked,
                                            seam::capability::segments};

class outgoing final : public seam::plain_port, public watch {
 public:
  // The channel's fresh pages must exist.
  outgoing(const seam::host& host, am_rank peer, const layout& places, base::shared_memory& memory,
           poller& rings) noexcept;

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  am_status make_answer_room(std::size_t bytes) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  seam::reach put(seam::transfer& one) noexcept override;
  seam::reach get(seam::transfer& one) noexcept override {
    return theirs_.get(one.there, one.here, one.bytes);
  }
  am_word* word_at(am_word* where) noexcept override {
    return reinterpret_cast<am_word*>(theirs_.mapped(where, sizeof *where));
  }
  void look() noexcept override { rings_.look(); }
  // The send before has told the poller that this rank writes here, which holds for a run, too.
  std::uint32_t look_in_turn() noexcept override { return rings_.look_in_turn(); }
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  [[nodiscard]] std::string about_peer() const override { return theirs_.about(); }
  [[nodiscard]] seam::request_ring exposed() const noexcept override {
    return requests_.exposed(lines_.begun);
  }

  void settle() noexcept override {}  // a requester owes nothing
  bool collect() noexcept override;

 private:
  // What a run sends is not announced to the poller, so none outlives a pause.
  void pause() noexcept override {
    account_.end_run();
    pause_.tell(requests_);
  }
  unsigned take(unsigned budget) noexcept override;
  [[gnu::noinline]] std::uint16_t deliver_rare(seam::inbox::batch& replies, std::uint64_t control,
                                               const slot& reply) noexcept;
  void take_answer(seam::inbox::batch& answers, std::uint64_t control, const slot& reply) noexcept;
  void publish(slot& filled, kind what, std::uint32_t handler, std::uint64_t more = 0) noexcept;
  [[nodiscard]] bool must_knock() const noexcept;
  [[gnu::noinline]] am_status knock() noexcept;
  void read_silent() noexcept;
  [[gnu::noinline]] void grow() noexcept;

  ring_writer requests_;
  channel_lines& lines_;
  writer_pause pause_;
  doorstep& their_doorstep_;
  seam::inbox& arrivals_;
  seam::boot& job_;
  std::uint64_t my_bit_;
  poller& rings_;
  std::uint16_t silents_heard_ = 0;  // of all silent requests, by `silent` or by the last reply

  growth growth_;
  payload_out payload_;
  answer_room answers_;
  remote_memory theirs_;
};

}  // namespace am::detail::shm
