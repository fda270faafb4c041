#include "recording.hpp"

#include <cstring>
#include <libam/core/ways.hpp>

#include <algorithm>

namespace am_test {

using am::detail::seam::inbox;

namespace seam = am::detail::seam;

recording* recording::last = nullptr;
std::uint32_t recording::window = 4;
recording::wrap_fn* recording::wrap = nullptr;

class recording::recording_port final : public seam::plain_port {
 public:
  recording_port(recording& all, am_rank to) : plain_port(to, all.can()), all_(all) {
    credits.raise_limit(recording::window);
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
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override {
    all_.requests.push_back({peer, handler, {words[0], words[1], words[2], words[3]}, {}});
    all_.requests.back().bulk = {where, bytes};
  }
  seam::reach put(seam::transfer& one) noexcept override {
    const seam::reach begun = all_.streams ? seam::reach::under_way : all_.reaches;
    all_.puts_stay.push_back(one.stays);
    if (begun == seam::reach::done) {
      std::memcpy(one.there, one.here, one.bytes);
      send_bulk(one.handler, one.words, one.there, one.bytes);
    }
    if (begun == seam::reach::under_way) {
      one.released = one.at_once;
      credits.hold();
      all_.moving_.push_back({this, &one, true});
      if (all_.ends_in_call != seam::reach::under_way)
        all_.end_transfer(all_.moving_.size() - 1, all_.ends_in_call);
    }
    return begun;
  }
  seam::reach get(seam::transfer& one) noexcept override {
    if (all_.reaches == seam::reach::done) std::memcpy(one.here, one.there, one.bytes);
    if (all_.reaches == seam::reach::under_way) all_.moving_.push_back({this, &one, false});
    return all_.reaches;
  }
  [[nodiscard]] am_word* word_at(am_word* where) noexcept override {
    return all_.words_in_reach ? where : nullptr;
  }
  void look() noexcept override {
    ++all_.looks;
    all_.deliver(few);
  }
  std::uint32_t look_in_turn() noexcept override {
    look();
    return all_.run;
  }
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    ++all_.in_runs;
    return plain_port::send_in_run(handler, w3, w0, w1, w2);
  }
  void give_up(seam::mourner& to) noexcept override {
    for (std::size_t i = all_.moving_.size(); i-- != 0;)
      if (all_.moving_[i].by == this && !all_.transfers_outlive_peers)
        all_.end_transfer(i, seam::reach::no_way);
    for (const sent_request& one : all_.requests) {
      if (one.to != peer) continue;
      const bool may_have_run = all_.unknown != 0;
      all_.unknown -= may_have_run;
      to.lost(peer, {one.handler, one.words.data(), one.payload.data(), one.payload.size(),
                     may_have_run});
    }
  }
  void refresh() noexcept override {
    ++all_.refreshes[peer];
    if (std::exchange(all_.just_polled_, false))
      all_.silent[peer] += std::exchange(all_.silent_behind_poll, 0);
    const std::uint64_t before = credits.home();
    credits.silent_read(all_.silent[peer]);
    if (credits.home() != before) all_.booked_ = true;
  }

 private:
  recording& all_;
};

class recording::answering final : public seam::way_back {
 public:
  answering(recording& all, am_rank to) : all_(all), to_(to) {}
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
  seam::reach place(void* where, const void* data, std::size_t bytes) noexcept override {
    if (all_.places == seam::reach::done) std::memcpy(where, data, bytes);
    return all_.places;
  }
  [[nodiscard]] bool leads_nowhere() const noexcept override { return all_.leads_nowhere; }
  void give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept override {
    all_.replies.push_back({to_, handler, {words[0], words[1], words[2], words[3]}, reason});
  }

 private:
  recording& all_;
  const am_rank to_;
};

recording::recording(const seam::host& host) : arrivals_(host.arrivals) { last = this; }
recording::~recording() { last = nullptr; }

void recording::receive_request(am_rank from, std::uint32_t handler, words4 words,
                                std::vector<std::byte> payload) {
  coming_.push_back({kind::request, from, handler, words, AM_OK, std::move(payload)});
}
void recording::receive_reply(am_rank from, std::uint32_t handler, words4 words) {
  coming_.push_back({kind::reply, from, handler, words, AM_OK, {}});
}
void recording::receive_returned(am_rank from, am_status reason, std::uint32_t handler,
                                 words4 words) {
  coming_.push_back({kind::returned, from, handler, words, reason, {}});
}

void recording::receive_with_room(am_rank from, std::uint32_t handler, words4 words,
                                  std::uint32_t room, std::vector<std::byte> payload) {
  coming_.push_back({kind::with_room, from, handler, words, AM_OK, std::move(payload), room});
}
void recording::receive_answer(am_rank from, seam::answer::form form, std::uint32_t handler,
                               words4 words, std::vector<std::byte> payload, am_status reason,
                               void* where) {
  coming_.push_back(
      {kind::answer, from, handler, words, reason, std::move(payload), 0, form, where});
}

seam::sender_credits& recording::credits_to(am_rank peer) { return ports_.at(peer)->credits; }

seam::port* recording::connect(am_rank peer, std::span<const std::byte>, std::string& why) {
  ++connects[peer];
  why = unreachable;
  if (!unreachable.empty()) return nullptr;
  return (ports_[peer] = std::make_unique<recording_port>(*this, peer)).get();
}

unsigned recording::poll(unsigned budget) noexcept {
  ++polls;
  booked_ = false;
  just_polled_ = true;
  if (still_under_way != 0) --still_under_way;
  while (still_under_way == 0 && ends != seam::reach::under_way && !moving_.empty())
    end_transfer(0, ends);
  return deliver(budget);
}

void recording::end_transfer(std::size_t which, seam::reach how) {
  const moving ended = moving_.at(which);
  moving_.erase(moving_.begin() + static_cast<std::ptrdiff_t>(which));
  const seam::transfer it = *ended.what;
  if (how == seam::reach::done && !streams)
    std::memcpy(ended.is_put ? it.there : it.here, ended.is_put ? it.here : it.there, it.bytes);
  arrivals_.transferred(*ended.what, how);
  if (how != seam::reach::done || !ended.is_put) return;
  ended.by->credits.send_held();
  ended.by->send_bulk(it.handler, it.words, it.there, it.bytes);
}

unsigned recording::deliver(unsigned budget) {
  unsigned delivered = 0;
  for (; delivered < budget && !coming_.empty(); ++delivered) {
    const message m = std::move(coming_.front());
    coming_.pop_front();
    deliver_one(m);
  }
  return delivered;
}

unsigned recording::last_words(am_rank peer, unsigned budget) noexcept {
  unsigned delivered = 0;
  for (auto at = coming_.begin(); at != coming_.end() && delivered < budget;) {
    if (at->from != peer) {
      ++at;
      continue;
    }
    const message m = std::move(*at);
    at = coming_.erase(at);
    deliver_one(m);
    ++delivered;
  }
  return delivered;
}

void recording::deliver_one(const message& m) {
  switch (m.what) {
    case kind::request: {
      answering back(*this, m.from);
      const bool answered =
          inbox::batch(arrivals_, m.from, &back)
              .request(m.handler, m.words.data(), m.payload.empty() ? nullptr : m.payload.data(),
                       m.payload.size());
      if (!answered) ++silent_here[m.from];
      break;
    }
    case kind::reply:
      inbox::batch(arrivals_, m.from, nullptr).reply(m.handler, m.words.data());
      credits_to(m.from).replies_consumed(1);
      break;
    case kind::with_room: {
      answering back(*this, m.from);
      inbox::batch(arrivals_, m.from, &back)
          .request_with_room(m.handler, m.words.data(),
                             m.payload.empty() ? nullptr : m.payload.data(), m.payload.size(),
                             m.room);
      break;
    }
    case kind::answer:
      inbox::batch(arrivals_, m.from, nullptr)
          .answered({m.form, m.handler, m.words.data(),
                     m.form == seam::answer::form::payload ? m.payload.data() : m.where,
                     m.payload.size(), m.reason});
      credits_to(m.from).replies_consumed(1);
      break;
    case kind::returned:
      inbox::batch(arrivals_, m.from, nullptr).returned(m.reason, m.handler, m.words.data());
      credits_to(m.from).replies_consumed(1);
  }
}

}  // namespace am_test

// In this program the recording transport is the only one that libam has.
namespace am::detail::core {

std::span<const known_transport> known_transports() noexcept {
  static constexpr known_transport only[] = {
      {"recording", [](const seam::host& host, std::string&) -> std::unique_ptr<seam::transport> {
         auto made = std::make_unique<am_test::recording>(host);
         return am_test::recording::wrap != nullptr ? am_test::recording::wrap(std::move(made))
                                                    : std::move(made);
       }}};
  return only;
}

}  // namespace am::detail::core
