// The messages of COMB's polling method: each process starts `depth` of them, and answers each one
// that arrives with one of its own. So twice as many are under way between the two processes, and
// all of them may be on the way to one.
//
// The messages of a process have an order: send number i is from place depth + i of a ring of
// 2 depth places, and receive number i into place i. An answer takes the place whose message the
// other process has answered, so no send waits for its place.
#pragma once

#include <calib/program/comb_messages.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calib {

template <comb_messages Library>
class comb_queue {
 public:
  comb_queue(Library& library, int peer, std::size_t bytes, unsigned depth)
      : library_(library),
        peer_(peer),
        bytes_(bytes),
        places_(std::size_t{2} * depth),
        out_(places_ * bytes),
        in_(places_ * bytes),
        sends_(places_),
        receives_(places_) {}

  // Collective: every receive is posted before the first message leaves.
  void open() {
    sent_ = posted_ = received_ = stops_ = 0;
    while (posted_ < places_) post();
    library_.barrier();
    while (sent_ < places_ / 2) send(sent_, bytes_);
  }

  // At the worker: takes what has arrived and answers it, at most every message once. Returns how
  // many they were.
  std::uint64_t poll() {
    std::uint64_t taken = 0;
    while (taken < places_ && library_.test(receives_[received_ % places_])) {
      take();
      answer();
      ++taken;
    }
    return taken;
  }

  // At the worker: receives all messages, and sends the other process that many that end it.
  void close() {
    while (received_ < posted_) {
      library_.wait(receives_[received_ % places_]);
      take();
    }
    for (std::size_t i = 0; i < places_; ++i) send(stop, sizeof stop);
    finish_sends();
  }

  // At the other process: answers until the worker ends it.
  void serve() {
    while (stops_ < places_) {
      library_.wait(receives_[received_ % places_]);
      if (take() != stop) answer();
    }
    finish_sends();
  }

  // Every message so far arrived whole and in its order.
  [[nodiscard]] bool intact() const { return intact_; }

 private:
  static constexpr std::uint64_t stop = ~std::uint64_t{0};

  void post() {
    const std::size_t at = posted_++ % places_;
    receives_[at] = library_.irecv(peer_, 0, &in_[at * bytes_], bytes_);
  }
  void send(std::uint64_t number, std::size_t bytes) {
    const std::size_t at = (places_ / 2 + sent_) % places_;
    if (sent_ >= places_) library_.wait(sends_[at]);
    ++sent_;
    write_number(&out_[at * bytes_], number);
    sends_[at] = library_.isend(peer_, 0, &out_[at * bytes_], bytes);
  }
  void answer() {
    post();
    send(sent_, bytes_);
  }
  std::uint64_t take() {
    const std::uint64_t number = read_number(&in_[(received_ % places_) * bytes_]);
    if (number == stop)
      ++stops_;
    else if (number != received_)
      intact_ = false;
    ++received_;
    return number;
  }
  void finish_sends() {
    const std::uint64_t open = sent_ < places_ ? sent_ : places_;
    for (std::uint64_t i = sent_ - open; i < sent_; ++i)
      library_.wait(sends_[(places_ / 2 + i) % places_]);
  }

  Library& library_;
  int peer_;
  std::size_t bytes_;
  std::size_t places_;
  std::vector<std::byte> out_, in_;
  std::vector<typename Library::request> sends_, receives_;
  std::uint64_t sent_ = 0;
  std::uint64_t posted_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t stops_ = 0;
  bool intact_ = true;
};

}  // namespace calib
