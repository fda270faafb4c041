// A transport that carries nothing: it records what core sends and delivers what the test says has
// come, one message at a time.
#pragma once

#include <libam/seam/plain.hpp>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace am_test {

using words4 = std::array<am_word, AM_WORDS>;

struct sent_request {
  am_rank to;
  std::uint32_t handler;
  words4 words;
  std::vector<std::byte> payload;
  std::pair<void*, std::size_t> bulk{};  // where a notice says that bytes stand
  std::optional<am::detail::seam::answer_place> room{};
};

struct sent_reply {
  am_rank to;
  std::uint32_t handler;
  words4 words;
  am_status reason;  // not AM_OK: the request was given back
  // To a request with room, and what it carries; else `words`.
  bool gives_room = false;
  am::detail::seam::answer::form form = am::detail::seam::answer::form::words;
  std::vector<std::byte> payload{};
  std::pair<const void*, std::size_t> placed{};
};

class recording final : public am::detail::seam::plain_transport {
 public:
  // The one that the endpoint under test has made.
  static recording* last;
  // What the next one is put into when it is made; null: nothing.
  using wrap_fn = std::unique_ptr<transport>(std::unique_ptr<transport> inner);
  static wrap_fn* wrap;
  // How many credits a fresh port has.
  static std::uint32_t window;

  explicit recording(const am::detail::seam::host& host);
  ~recording() override;

  // ---- what core has done ----
  std::vector<sent_request> requests;
  std::vector<sent_reply> replies;
  std::map<am_rank, unsigned> connects;
  std::map<am_rank, unsigned> refreshes;
  unsigned polls = 0;
  unsigned looks = 0;
  unsigned flushes = 0;
  unsigned arms = 0;
  unsigned arms_unseen = 0;  // with credits that a refresh has booked since the last poll
  // Requests whose handler ended without an answer: what `silent` counts.
  std::map<am_rank, std::uint32_t> silent_here;

  unsigned in_runs = 0;  // requests that were sent so
  unsigned tries = 0;    // of sending a payload

  // ---- what the test decides ----
  unsigned run = 0;                            // how long a run every request starts that looks
  std::string unreachable;                     // not empty: why no peer can be reached
  am_status payload_status = AM_OK;            // what send_medium says
  am_status room_status = AM_OK;               // what make_answer_room says
  std::map<am_rank, std::size_t> answer_room;  // what it was told
  am::detail::seam::reach places = am::detail::seam::reach::no_way;   // how answers place bytes
  bool leads_nowhere = false;                                         // does the way to requesters
  am::detail::seam::reach reaches = am::detail::seam::reach::no_way;  // how put and get begin
  bool words_in_reach = false;  // of every peer, for atomic operations
  bool streams = false;         // so do the ports: gets are answered by puts
  // How all transfers under way end at a poll, so many polls later; under_way: not yet.
  am::detail::seam::reach ends = am::detail::seam::reach::under_way;
  unsigned still_under_way = 0;
  // The same of a streamed put, before it returns.
  am::detail::seam::reach ends_in_call = am::detail::seam::reach::under_way;
  unsigned still_reached = 0;        // so often a peer has yet to hear that a segment is abandoned
  std::vector<void*> freed;          // segments
  std::vector<void*> next_segments;  // where they lie
  std::map<am_rank, std::uint32_t> silent;  // the peers' counters, read by refresh
  // By so many moves that of the peer who is asked next behind a poll.
  std::uint32_t silent_behind_poll = 0;

  bool transfers_outlive_peers = false;  // a port that is given up ends none of its transfers
  std::vector<bool> puts_stay;           // what each put has said
  // Transfers that are under way, the oldest first; one of them ends, as in a poll.
  [[nodiscard]] std::size_t under_way() const { return moving_.size(); }
  void end_transfer(std::size_t which, am::detail::seam::reach how);

  // Queued until core polls.
  void receive_request(am_rank from, std::uint32_t handler, words4 words,
                       std::vector<std::byte> payload = {});
  void receive_reply(am_rank from, std::uint32_t handler, words4 words);
  void receive_returned(am_rank from, am_status reason, std::uint32_t handler, words4 words);
  void receive_with_room(am_rank from, std::uint32_t handler, words4 words, std::uint32_t room,
                         std::vector<std::byte> payload = {});
  // The answer to a request with room: what `form` takes of it.
  void receive_answer(am_rank from, am::detail::seam::answer::form form, std::uint32_t handler,
                      words4 words, std::vector<std::byte> payload = {}, am_status reason = AM_OK,
                      void* where = nullptr);

  // `peer` has died: what has come from it and is not delivered are its last words, and of the
  // requests that were sent to it none is answered for. The first `unknown` of these may have run.
  void tell_of_death(am_rank peer) { arrivals_.hear_of_death(peer); }
  // The only way to it is lost.
  void tell_of_loss(am_rank peer, std::string_view why) { arrivals_.hear_of_loss(peer, why); }
  unsigned unknown = 0;

  am::detail::seam::sender_credits& credits_to(am_rank peer);

  [[nodiscard]] std::string_view name() const noexcept override { return "recording"; }
  [[nodiscard]] std::vector<std::byte> address() const override { return {std::byte{7}}; }
  am::detail::seam::port* connect(am_rank peer, std::span<const std::byte> address,
                                  std::string& why) override;
  [[nodiscard]] am::detail::seam::capabilities can() const noexcept override {
    using am::detail::seam::capability;
    return am::detail::seam::capabilities{capability::receives_unasked, capability::segments}.with(
        capability::streams, streams);
  }
  unsigned poll(unsigned budget) noexcept override;
  unsigned last_words(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override { return AM_MIN_MAX_MEDIUM; }
  void* make_segment(std::size_t bytes) noexcept override {
    if (next_at_ < next_segments.size()) return next_segments[next_at_++];
    return segments_.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  }
  void free_segment(void* segment) noexcept override {
    freed.push_back(segment);
    std::erase_if(segments_, [&](const auto& one) { return one.get() == segment; });
  }
  bool abandon_segment(void*) noexcept override {
    return still_reached != 0 && still_reached-- != 0;
  }
  std::chrono::nanoseconds arm() noexcept override {
    ++arms;
    arms_unseen += booked_;
    just_polled_ = false;
    if (still_under_way != 0) return std::chrono::nanoseconds::zero();
    return coming_.empty() ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::zero();
  }
  am_status flush() noexcept override {
    ++flushes;
    return AM_OK;
  }

 private:
  class recording_port;
  class answering;
  enum class kind { request, reply, returned, with_room, answer };
  struct message {
    kind what;
    am_rank from;
    std::uint32_t handler;
    words4 words;
    am_status reason;
    std::vector<std::byte> payload;
    std::uint32_t room = 0;
    am::detail::seam::answer::form form{};
    void* where = nullptr;
  };

  static constexpr unsigned few = 8;  // of one look
  unsigned deliver(unsigned budget);
  void deliver_one(const message& m);

  am::detail::seam::inbox& arrivals_;
  std::deque<message> coming_;
  std::map<am_rank, std::unique_ptr<recording_port>> ports_;
  bool booked_ = false;  // a credit, by a refresh since the last poll
  bool just_polled_ = false;
  struct moving {
    recording_port* by;
    am::detail::seam::transfer* what;
    bool is_put;
  };
  std::deque<moving> moving_;
  std::vector<std::unique_ptr<std::byte[]>> segments_;
  std::size_t next_at_ = 0;
};

}  // namespace am_test
