#include "recording.hpp"

#include <cstring>
#include <libam/core/ways.hpp>

#include <algorithm>

namespace am_test {

using am::detail::seam::inbox;

namespace seam = am::detail::seam;

recording* recording::last = nullptr;
std::uint32_t recording::window = 4;

class recording::recording_port final : public seam::port {
 public:
  recording_port(recording& all, am_rank to) : port(to), all_(all) {
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
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override {
    all_.requests.push_back({peer, handler, {words[0], words[1], words[2], words[3]}, {}});
    all_.requests.back().bulk = {where, bytes};
  }
  seam::reach put(void* where, const void* data, std::size_t bytes) noexcept override {
    transfer_ = {where, data, bytes};
    return reached();
  }
  seam::reach get(const void* where, void* to, std::size_t bytes) noexcept override {
    return put(to, where, bytes);
  }
  seam::reach reached() noexcept override {
    if (all_.under_way != 0) return seam::reach::under_way;
    if (all_.reaches == seam::reach::done)
      std::memcpy(transfer_.where, transfer_.data, transfer_.bytes);
    return all_.reaches;
  }
  [[nodiscard]] am_word* word_at(am_word* where) noexcept override {
    return all_.words_in_reach ? where : nullptr;
  }
  [[nodiscard]] bool ships() const noexcept override { return all_.ships; }
  bool ship(seam::shipment& one) noexcept override {
    if (all_.on_its_way_ != nullptr) return false;
    all_.on_its_way_ = &one;
    all_.shipper_ = this;
    return true;
  }
  void look() noexcept override {
    ++all_.looks;
    all_.deliver(few);
  }
  void look_in_turn() noexcept override {
    look();
    credits.start_run(all_.run);
  }
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    ++all_.in_runs;
    return port::send_in_run(handler, w3, w0, w1, w2);
  }
  void give_up(seam::mourner& to) noexcept override {
    for (const sent_request& one : all_.requests) {
      if (one.to != peer) continue;
      const bool may_have_run = all_.unknown != 0;
      all_.unknown -= may_have_run;
      to.lost(peer, {one.handler, one.words.data(), one.payload.data(), one.payload.size(),
                     may_have_run});
    }
    (void)credits.shut();
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
  struct {
    void* where;
    const void* data;
    std::size_t bytes;
  } transfer_{};
};

class recording::answering final : public seam::way_back {
 public:
  answering(recording& all, am_rank to) : all_(all), to_(to) {}
  am_status reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                  am_word w3) noexcept override {
    all_.replies.push_back({to_, handler, {w0, w1, w2, w3}, AM_OK});
    return AM_OK;
  }
  void reply_at(std::uint32_t handler, const am_word* words, void*) noexcept override {
    all_.replies.push_back({to_, handler, {words[0], words[1], words[2], words[3]}, AM_OK});
  }
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
  if (under_way != 0) --under_way;
  if (on_its_way_ != nullptr && ends != seam::shipment::stage::going) end_shipment();
  return deliver(budget);
}

void recording::end_shipment() {
  seam::shipment& one = *std::exchange(on_its_way_, nullptr);
  one.at = ends;
  if (ends == seam::shipment::stage::unreadable)
    shipper_->credits.put_back();
  else
    shipper_->send_bulk(one.handler, one.words, one.where, one.bytes);
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
         return std::make_unique<am_test::recording>(host);
       }}};
  return only;
}

}  // namespace am::detail::core
