// Small two-sided messages of 32 bytes: a round trip is a send and a receive, a flood is windows of
// isend and irecv completed together, as in the benchmarks of MPI. And the runs of all their
// probes.
#pragma once

#include <calib/layers/two_sided_bulk.hpp>
#include <calib/layers/two_sided_mediums.hpp>
#include <calib/program/message.hpp>
#include <calib/program/probe_runner.hpp>

#include <string>
#include <utility>
#include <vector>

namespace calib {

template <two_sided Library>
class two_sided_small {
 public:
  two_sided_small(Library& library, int peer, std::size_t window, unsigned windows)
      : library_(library), peer_(peer), windows_(windows), out_(window), in_(window) {
    for (std::size_t i = 0; i < window; ++i) {
      sends_.push_back(Library::none());
      receives_.push_back(Library::none());
    }
  }

  // ---- requester ----

  void ping() {
    finish_posts();
    const message m = make_message(sent_++);
    message reply;
    library_.send(peer_, 0, bytes_of(m), sizeof m);
    library_.recv(peer_, 0, bytes_of(reply), sizeof reply);
    remote_total_ = reply.words[0];
  }
  void post() {
    send(make_message(sent_++));
    if (used_ == size()) finish_posts();
  }
  void request() {
    receive();
    send(make_message(sent_++));
    if (used_ == size()) finish_requests();
  }
  void drain() { finish_requests(); }
  [[nodiscard]] std::uint64_t flood_length() const { return windows_ * size(); }
  [[nodiscard]] bool intact() const { return remote_total_ == sum_of_first(sent_); }

  // ---- responder ----

  void serve_pings(std::uint64_t count) {
    for (; count > 0; --count) {
      message m;
      library_.recv(peer_, 0, bytes_of(m), sizeof m);
      total_ += sum(m);
      const message reply{{total_, 0, 0, 0}};
      library_.send(peer_, 0, bytes_of(reply), sizeof reply);
    }
  }
  void serve_posts(std::uint64_t count) {
    for (; count > 0; count -= size()) {
      for (expected_ = 0; expected_ < size();) receive();
      library_.wait_all(receives_);
      for (const message& m : in_) total_ += sum(m);
    }
    expected_ = 0;
  }
  void serve_requests(std::uint64_t count) {
    for (; count > 0; count -= size()) {
      for (expected_ = 0; expected_ < size();) receive();
      for (std::size_t i = 0; i < size(); ++i) {
        library_.wait(receives_[i]);
        total_ += sum(in_[i]);
        send({{total_, 0, 0, 0}});
      }
      finish_posts();
    }
    expected_ = 0;
  }

 private:
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  static const std::byte* bytes_of(const message& m) noexcept {
    return reinterpret_cast<const std::byte*>(&m);
  }
  static std::byte* bytes_of(message& m) noexcept { return reinterpret_cast<std::byte*>(&m); }

  void send(const message& m) {
    out_[used_] = m;
    sends_[used_] = library_.isend(peer_, 0, bytes_of(out_[used_]), sizeof m);
    ++used_;
  }
  void receive() {
    receives_[expected_] = library_.irecv(peer_, 0, bytes_of(in_[expected_]), sizeof(message));
    ++expected_;
  }
  void finish_posts() {
    library_.wait_all(std::span(sends_).first(used_));
    used_ = 0;
  }
  void finish_requests() {
    library_.wait_all(std::span(receives_).first(expected_));
    if (expected_ > 0) remote_total_ = in_[expected_ - 1].words[0];
    expected_ = 0;
    finish_posts();
  }

  Library& library_;
  int peer_;
  std::uint64_t windows_;  // in a flood
  std::vector<message> out_, in_;
  std::vector<typename Library::request> sends_, receives_;
  std::size_t used_ = 0;      // of sends_
  std::size_t expected_ = 0;  // of receives_
  std::uint64_t sent_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t remote_total_ = 0;
};

template <two_sided Library>
void measure_small(Library& library, probe_runner& runner, int peer, const options& opts) {
  for (const std::size_t window : {64U, 256U, 1024U}) {
    two_sided_small layer(library, peer, window, opts.windows);
    const std::string name = "window=" + std::to_string(window);
    if (window == 64) runner.rtt(layer, "send-recv");
    runner.flood(layer, name);
    runner.rr_flood(layer, name);
  }
}

// None of these is best at every size, in one and both directions, and with each library.
template <two_sided Library>
void measure_mediums(Library& library, probe_runner& runner, int peer) {
  constexpr std::pair<unsigned, unsigned> rings[] = {{1, 8}, {1, 64}, {8, 64}, {64, 64}};
  for (const auto& [sends, receives] : rings) {
    two_sided_mediums layer(library, peer, sends, receives);
    runner.medium(layer, layer.name());
  }
}

// Gets first, because they leave the responder's data unchanged. A window that holds all pieces of
// a sample is equivalent to any larger one.
template <two_sided Library>
void measure_bulk(Library& library, probe_runner& runner, int peer, const options& opts) {
  const std::size_t memory_bytes = bulk_memory_for(opts.bytes);
  if (memory_bytes == 0) return;
  bulk_buffer mine(memory_bytes);
  two_sided_bulk usual(library, peer, 64, mine);
  two_sided_bulk many(library, peer, 256, mine);
  const std::pair<two_sided_bulk<Library>*, std::uint64_t> all[] = {{&usual, 0}, {&many, 64}};
  for (const auto& [layer, above] : all) runner.get_bulk(*layer, layer->name(), above);
  for (const auto& [layer, above] : all) runner.store_bulk(*layer, layer->name(), above);
}

template <two_sided Library>
void measure_two_sided(Library& library, side mine, const options& opts) {
  const int peer = 1 - library.rank();
  probe_runner runner(mine, opts);
  measure_small(library, runner, peer, opts);
  measure_mediums(library, runner, peer);
  measure_bulk(library, runner, peer, opts);
}

}  // namespace calib
