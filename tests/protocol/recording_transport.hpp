// A transport that sends nothing: it records what core sends, and delivers what the test enqueues,
// one message at a time.
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
  std::pair<void*, std::size_t> bulk{};  // the bytes that a notice names
  std::optional<am::detail::seam::answer_place> room{};
};

struct sent_reply {
  am_rank to;
  std::uint32_t handler;
  words4 words;
  am_status reason;  // not AM_OK: the request was returned
  // For a request with room, the form of the answer; else `words`.
  bool gives_room = false;
  am::detail::seam::answer::form form = am::detail::seam::answer::form::words;
  std::vector<std::byte> payload{};
  std::pair<const void*, std::size_t> placed{};
};

class recording_transport final : public am::detail::seam::plain_transport {
 public:
  // The transport that the endpoint under test has made.
  static recording_transport* last;
  // Wraps the next transport when it is made; null: nothing.
  using wrap_fn = std::unique_ptr<transport>(std::unique_ptr<transport> inner);
  static wrap_fn* wrap;
  // The credits of a new port.
  static std::uint32_t window;

  explicit recording_transport(const am::detail::seam::transport_context& context);
  ~recording_transport() override;

  // ---- what core has done ----
  std::vector<sent_request> requests;
  std::vector<sent_reply> replies;
  std::map<am_rank, unsigned> connects;
  std::map<am_rank, unsigned> refreshes;
  unsigned polls = 0;
  unsigned poll_once_calls = 0;
  unsigned flushes = 0;
  unsigned arms = 0;
  unsigned arms_with_new_credits = 0;  // with credits that a refresh has booked since the last poll
  // Requests whose handler ended without an answer: what `silent` counts.
  std::map<am_rank, std::uint32_t> silent_here;

  unsigned in_runs = 0;  // requests that were sent in runs
  unsigned tries = 0;    // of sending a payload

  // ---- what the test sets ----
  unsigned run_length = 0;                     // of the run that a checking request starts
  std::string unreachable;                     // not empty: why no peer can be reached
  am_status payload_status = AM_OK;            // the result of send_medium
  am_status room_status = AM_OK;               // the result of make_answer_room
  std::map<am_rank, std::size_t> answer_room;  // the arguments of make_answer_room
  // The result of placing an answer's bytes.
  am::detail::seam::transfer_status place_status = am::detail::seam::transfer_status::unsupported;
  bool requester_is_dead = false;  // the result of its namesake in return paths
  // The first status of put and get.
  am::detail::seam::transfer_status begin_status = am::detail::seam::transfer_status::unsupported;
  bool words_mapped = false;  // those of every peer, for atomic operations
  bool streams = false;       // so do the ports: gets are answered by puts
  // The status with which all transfers end, after that many polls; under_way: they do not end.
  am::detail::seam::transfer_status end_status = am::detail::seam::transfer_status::under_way;
  unsigned polls_until_end = 0;
  // The same for a streamed put, before it returns.
  am::detail::seam::transfer_status end_status_in_call =
      am::detail::seam::transfer_status::under_way;
  // That many times a peer has not yet acknowledged that a segment is withdrawn.
  unsigned deregister_refusals = 0;
  std::vector<void*> freed;                 // segments
  std::vector<void*> next_segments;         // their addresses
  std::map<am_rank, std::uint32_t> silent;  // the peers' counters, read by refresh_credits
  // Added to the counter of the first peer that is refreshed after a poll.
  std::uint32_t silent_after_poll = 0;

  bool transfers_outlive_peers = false;  // a failed port ends none of its transfers
  std::vector<bool> puts_source_stable;  // the source_stable of each put
  // The number of transfers under way. end_transfer ends one, counted from the oldest, as in a
  // poll.
  [[nodiscard]] std::size_t under_way() const { return transfers_.size(); }
  void end_transfer(std::size_t which, am::detail::seam::transfer_status how);

  // Queued until core polls.
  void receive_request(am_rank from, std::uint32_t handler, words4 words,
                       std::vector<std::byte> payload = {});
  void receive_reply(am_rank from, std::uint32_t handler, words4 words);
  void receive_returned(am_rank from, am_status reason, std::uint32_t handler, words4 words);
  void receive_with_room(am_rank from, std::uint32_t handler, words4 words, std::uint32_t room,
                         std::vector<std::byte> payload = {});
  // The answer to a request with room; `form` decides which arguments it uses.
  void receive_answer(am_rank from, am::detail::seam::answer::form form, std::uint32_t handler,
                      words4 words, std::vector<std::byte> payload = {}, am_status reason = AM_OK,
                      void* where = nullptr);

  // `peer` has died: its undelivered messages are drained first, and no request to it is answered
  // any more. The first `unknown` of these may have run.
  void inject_death(am_rank peer) { arrivals_.report_death(peer); }
  // The only connection to it is lost.
  void inject_loss(am_rank peer, std::string_view why) { arrivals_.report_loss(peer, why); }
  unsigned unknown = 0;

  am::detail::seam::sender_credits& credits_to(am_rank peer);

  [[nodiscard]] std::string_view name() const noexcept override { return "recording"; }
  [[nodiscard]] std::vector<std::byte> address() const override { return {std::byte{7}}; }
  am::detail::seam::port* connect(am_rank peer, std::span<const std::byte> address,
                                  std::string& why) override;
  [[nodiscard]] am::detail::seam::capabilities caps() const noexcept override {
    using am::detail::seam::capability;
    return am::detail::seam::capabilities{capability::accepts_unsolicited, capability::segments}
        .with(capability::streams, streams);
  }
  unsigned poll(unsigned budget) noexcept override;
  void advance() noexcept override {}
  [[nodiscard]] bool has_come(am_rank peer,
                              am::detail::seam::message_class which) noexcept override;
  unsigned deliver_from(am_rank peer, am::detail::seam::message_class which,
                        unsigned most) noexcept override;
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override { return AM_MIN_MAX_MEDIUM; }
  void* make_segment(std::size_t bytes) noexcept override {
    if (next_at_ < next_segments.size()) return next_segments[next_at_++];
    return segments_.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  }
  void free_segment(void* segment) noexcept override {
    freed.push_back(segment);
    std::erase_if(segments_, [&](const auto& one) { return one.get() == segment; });
  }
  bool deregister_segment(void*) noexcept override {
    return deregister_refusals != 0 && deregister_refusals-- != 0;
  }
  std::chrono::nanoseconds arm() noexcept override {
    ++arms;
    arms_with_new_credits += booked_;
    just_polled_ = false;
    if (polls_until_end != 0) return std::chrono::nanoseconds::zero();
    return incoming_.empty() ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::zero();
  }
  am_status flush() noexcept override {
    ++flushes;
    return AM_OK;
  }

 private:
  class recording_port;
  class recording_return_path;
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
  auto next_of(am_rank peer, am::detail::seam::message_class which);

  static constexpr unsigned poll_once_budget = 8;  // delivered by one check
  unsigned deliver(unsigned budget);
  void deliver_one(const message& m);

  am::detail::seam::inbox& arrivals_;
  std::deque<message> incoming_;
  std::map<am_rank, std::unique_ptr<recording_port>> ports_;
  bool booked_ = false;  // by a refresh since the last poll
  bool just_polled_ = false;
  struct transfer_under_way {
    recording_port* by;
    am::detail::seam::transfer* what;
    bool is_put;
  };
  std::deque<transfer_under_way> transfers_;
  std::vector<std::unique_ptr<std::byte[]>> segments_;
  std::size_t next_at_ = 0;
};

}  // namespace am_test
