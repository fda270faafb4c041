#include "recording_transport.hpp"

#include <cstring>
#include <libam/core/known_transports.hpp>

#include <algorithm>

namespace am_test {

using am::detail::seam::inbox;

namespace seam = am::detail::seam;

recording_transport* recording_transport::last = nullptr;
std::uint32_t recording_transport::window = 4;
recording_transport::wrap_fn* recording_transport::wrap = nullptr;

class recording_transport::recording_port final : public seam::plain_port {
 public:
  recording_port(recording_transport& all, am_rank to) : plain_port(to, all.caps()), all_(all) {
    credits.raise_limit(recording_transport::window);
  }
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override {
    all_.requests.push_back({peer, handler, {w0, w1, w2, w3}, {}});
  }
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override {
    ++all_.tries;
    if (all_.payload_status != AM_OK) return all_.payload_status;
    const auto* at = static_cast<const std::byte*>(data);
    all_.requests.push_back(
        {peer, handler, {words[0], words[1], words[2], words[3]}, {at, at + bytes}});
    return AM_OK;
  }
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override {
    const am_status status = send_medium(handler, words, data, bytes);
    if (status == AM_OK) all_.requests.back().room = room;
    return status;
  }
  am_status make_answer_room(std::size_t bytes) noexcept override {
    if (all_.room_status == AM_OK) all_.answer_room[peer] = bytes;
    return all_.room_status;
  }
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override {
    all_.requests.push_back({peer, handler, {words[0], words[1], words[2], words[3]}, {}});
    all_.requests.back().bulk = {where, bytes};
  }
  seam::transfer_status put(seam::transfer& one) noexcept override {
    const seam::transfer_status begun =
        all_.streams ? seam::transfer_status::under_way : all_.begin_status;
    all_.puts_source_stable.push_back(one.source_stable);
    if (begun == seam::transfer_status::done) {
      std::memcpy(one.there, one.here, one.bytes);
      send_notice(one.handler, one.words, one.there, one.bytes);
    }
    if (begun == seam::transfer_status::under_way) {
      one.released = one.at_once;
      credits.hold();
      all_.transfers_.push_back({this, &one, true});
      if (all_.end_status_in_call != seam::transfer_status::under_way)
        all_.end_transfer(all_.transfers_.size() - 1, all_.end_status_in_call);
    }
    return begun;
  }
  seam::transfer_status get(seam::transfer& one) noexcept override {
    if (all_.begin_status == seam::transfer_status::done)
      std::memcpy(one.here, one.there, one.bytes);
    if (all_.begin_status == seam::transfer_status::under_way)
      all_.transfers_.push_back({this, &one, false});
    return all_.begin_status;
  }
  [[nodiscard]] am_word* mapped_word(am_word* where) noexcept override {
    return all_.words_mapped ? where : nullptr;
  }
  void poll_once() noexcept override {
    ++all_.poll_once_calls;
    all_.deliver(poll_once_budget);
  }
  std::uint32_t poll_after_send() noexcept override {
    poll_once();
    return all_.run_length;
  }
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    ++all_.in_runs;
    return plain_port::send_in_run(handler, w3, w0, w1, w2);
  }
  void fail_pending(seam::failure_sink& to) noexcept override {
    for (std::size_t i = all_.transfers_.size(); i-- != 0;)
      if (all_.transfers_[i].by == this && !all_.transfers_outlive_peers)
        all_.end_transfer(i, seam::transfer_status::unsupported);
    for (const sent_request& one : all_.requests) {
      if (one.to != peer) continue;
      const bool may_have_run = all_.unknown != 0;
      all_.unknown -= may_have_run;
      to.on_lost_request(peer, {one.handler, one.words.data(), one.payload.data(),
                                one.payload.size(), may_have_run});
    }
  }
  void refresh_credits() noexcept override {
    ++all_.refreshes[peer];
    if (std::exchange(all_.just_polled_, false))
      all_.silent[peer] += std::exchange(all_.silent_after_poll, 0);
    const std::uint64_t before = credits.completed();
    credits.book_silent(all_.silent[peer]);
    if (credits.completed() != before) all_.booked_ = true;
  }

 private:
  recording_transport& all_;
};

class recording_transport::recording_return_path final : public seam::return_path {
 public:
  recording_return_path(recording_transport& all, am_rank to) : all_(all), to_(to) {}
  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    all_.replies.push_back({to_, handler, {w0, w1, w2, w3}, AM_OK});
    return AM_OK;
  }
  void reply_at(std::uint32_t handler, const am_word* words, void* where,
                std::size_t bytes) noexcept override {
    all_.replies.push_back({to_, handler, {words[0], words[1], words[2], words[3]}, AM_OK});
    all_.replies.back().placed = {where, bytes};
  }
  void answer(const seam::answer& one) noexcept override {
    all_.replies.push_back({to_,
                            one.handler,
                            {one.words[0], one.words[1], one.words[2], one.words[3]},
                            one.reason,
                            true,
                            one.what});
    const auto* at = static_cast<const std::byte*>(one.data);
    if (one.what == seam::answer::form::payload)
      all_.replies.back().payload = {at, at + one.bytes};
    else
      all_.replies.back().placed = {at, one.bytes};
  }
  seam::transfer_status place(void* where, const void* data, std::size_t bytes) noexcept override {
    if (all_.place_status == seam::transfer_status::done) std::memcpy(where, data, bytes);
    return all_.place_status;
  }
  [[nodiscard]] bool requester_is_dead() const noexcept override { return all_.requester_is_dead; }
  void return_request(am_status reason, std::uint32_t handler,
                      const am_word* words) noexcept override {
    all_.replies.push_back({to_, handler, {words[0], words[1], words[2], words[3]}, reason});
  }

 private:
  recording_transport& all_;
  const am_rank to_;
};

recording_transport::recording_transport(const seam::transport_context& context)
    : arrivals_(context.arrivals) {
  last = this;
}
recording_transport::~recording_transport() { last = nullptr; }

void recording_transport::receive_request(am_rank from, std::uint32_t handler, words4 words,
                                          std::vector<std::byte> payload) {
  incoming_.push_back({kind::request, from, handler, words, AM_OK, std::move(payload)});
}
void recording_transport::receive_reply(am_rank from, std::uint32_t handler, words4 words) {
  incoming_.push_back({kind::reply, from, handler, words, AM_OK, {}});
}
void recording_transport::receive_returned(am_rank from, am_status reason, std::uint32_t handler,
                                           words4 words) {
  incoming_.push_back({kind::returned, from, handler, words, reason, {}});
}

void recording_transport::receive_with_room(am_rank from, std::uint32_t handler, words4 words,
                                            std::uint32_t room, std::vector<std::byte> payload) {
  incoming_.push_back({kind::with_room, from, handler, words, AM_OK, std::move(payload), room});
}
void recording_transport::receive_answer(am_rank from, seam::answer::form form,
                                         std::uint32_t handler, words4 words,
                                         std::vector<std::byte> payload, am_status reason,
                                         void* where) {
  incoming_.push_back(
      {kind::answer, from, handler, words, reason, std::move(payload), 0, form, where});
}

seam::sender_credits& recording_transport::credits_to(am_rank peer) {
  return ports_.at(peer)->credits;
}

seam::port* recording_transport::connect(am_rank peer, std::span<const std::byte>,
                                         std::string& why) {
  ++connects[peer];
  why = unreachable;
  if (!unreachable.empty()) return nullptr;
  return (ports_[peer] = std::make_unique<recording_port>(*this, peer)).get();
}

unsigned recording_transport::poll(unsigned budget) noexcept {
  ++polls;
  booked_ = false;
  just_polled_ = true;
  if (polls_until_end != 0) --polls_until_end;
  while (polls_until_end == 0 && end_status != seam::transfer_status::under_way &&
         !transfers_.empty())
    end_transfer(0, end_status);
  return deliver(budget);
}

void recording_transport::end_transfer(std::size_t which, seam::transfer_status how) {
  const transfer_under_way ended = transfers_.at(which);
  transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(which));
  const seam::transfer it = *ended.what;
  if (how == seam::transfer_status::done && !streams)
    std::memcpy(ended.is_put ? it.there : it.here, ended.is_put ? it.here : it.there, it.bytes);
  arrivals_.end_transfer(*ended.what, how);
  if (how != seam::transfer_status::done || !ended.is_put) return;
  ended.by->credits.send_held();
  ended.by->send_notice(it.handler, it.words, it.there, it.bytes);
}

unsigned recording_transport::deliver(unsigned budget) {
  unsigned delivered = 0;
  for (; delivered < budget && !incoming_.empty(); ++delivered) {
    const message m = std::move(incoming_.front());
    incoming_.pop_front();
    deliver_one(m);
  }
  return delivered;
}

auto recording_transport::next_of(am_rank peer, seam::message_class which) {
  return std::ranges::find_if(incoming_, [&](const message& m) {
    const bool is_request = m.what == kind::request || m.what == kind::with_room;
    return m.from == peer && is_request == (which == seam::message_class::request);
  });
}

bool recording_transport::has_come(am_rank peer, seam::message_class which) noexcept {
  return next_of(peer, which) != incoming_.end();
}

unsigned recording_transport::deliver_from(am_rank peer, seam::message_class which,
                                           unsigned most) noexcept {
  unsigned delivered = 0;
  for (; delivered < most; ++delivered) {
    const auto next = next_of(peer, which);
    if (next == incoming_.end()) break;
    const message m = std::move(*next);
    incoming_.erase(next);
    deliver_one(m);
  }
  return delivered;
}

unsigned recording_transport::drain_dead_peer(am_rank peer, unsigned budget) noexcept {
  unsigned delivered = 0;
  for (auto at = incoming_.begin(); at != incoming_.end() && delivered < budget;) {
    if (at->from != peer) {
      ++at;
      continue;
    }
    const message m = std::move(*at);
    at = incoming_.erase(at);
    deliver_one(m);
    ++delivered;
  }
  return delivered;
}

void recording_transport::deliver_one(const message& m) {
  switch (m.what) {
    case kind::request: {
      recording_return_path back(*this, m.from);
      const bool answered =
          inbox::batch(arrivals_, m.from, &back)
              .request(m.handler, m.words.data(), m.payload.empty() ? nullptr : m.payload.data(),
                       m.payload.size());
      if (!answered) ++silent_here[m.from];
      break;
    }
    case kind::reply:
      inbox::batch(arrivals_, m.from, nullptr).reply(m.handler, m.words.data());
      credits_to(m.from).book_replies(1);
      break;
    case kind::with_room: {
      recording_return_path back(*this, m.from);
      inbox::batch(arrivals_, m.from, &back)
          .request_with_room(m.handler, m.words.data(),
                             m.payload.empty() ? nullptr : m.payload.data(), m.payload.size(),
                             m.room);
      break;
    }
    case kind::answer:
      inbox::batch(arrivals_, m.from, nullptr)
          .deliver_answer({m.form, m.handler, m.words.data(),
                           m.form == seam::answer::form::payload ? m.payload.data() : m.where,
                           m.payload.size(), m.reason});
      credits_to(m.from).book_replies(1);
      break;
    case kind::returned:
      inbox::batch(arrivals_, m.from, nullptr)
          .deliver_returned(m.reason, m.handler, m.words.data());
      credits_to(m.from).book_replies(1);
  }
}

}  // namespace am_test

// In this program libam has only the recording transport.
namespace am::detail::core {

std::span<const known_transport> known_transports() noexcept {
  static constexpr known_transport only[] = {
      {"recording",
       [](const seam::transport_context& context,
          std::string&) -> std::unique_ptr<seam::transport> {
         auto made = std::make_unique<am_test::recording_transport>(context);
         return am_test::recording_transport::wrap != nullptr
                    ? am_test::recording_transport::wrap(std::move(made))
                    : std::move(made);
       }}};
  return only;
}

}  // namespace am::detail::core
