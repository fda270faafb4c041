// What two-sided messages cost between two ranks of a library: a round trip by size, a message of a
// window, and a message among few or many others that wait for another tag. Started by hand, one
// library after the other; a line is a median, with the interval that holds it with 95 %.
#pragma once

#include <am/clock.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/two_sided.hpp>
#include <calib/statistics.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace calib {

template <two_sided Library>
class two_sided_costs {
 public:
  explicit two_sided_costs(Library& library)
      : library_(library), me_(library.rank()), peer_(1 - library.rank()) {}

  void measure() {
    pin(me_);
    for (const std::size_t bytes : {8U, 24U, 64U, 1024U, 4096U, 16384U, 65536U, 1048576U})
      show("round trip of " + std::to_string(bytes) + " bytes", [&] { return trip(bytes); });
    for (const std::size_t window : {64U, 256U})
      show("8 bytes in windows of " + std::to_string(window), [&] { return flood(window); });
    for (const int tags : {10, 10000}) {
      const std::string of = " of " + std::to_string(tags) + " tags";
      show("8 bytes to receives" + of, [&] { return match(tags, order::posted); });
      show("the same in the opposite order", [&] { return match(tags, order::opposite); });
      show("8 bytes before receives" + of, [&] { return match(tags, order::unexpected); });
    }
  }

 private:
  static constexpr unsigned samples = 15;
  static constexpr int tag_data = 1000000;  // beyond those of match()
  static constexpr int tag_ready = tag_data + 1;
  enum class order { posted, opposite, unexpected };

  template <class Take>
  void show(const std::string& what, Take&& take) {
    std::vector<double> found;
    (void)take();
    for (unsigned i = 0; i < samples; ++i) {
      library_.barrier();
      found.push_back(library_.max(take()));
    }
    const estimate all = estimate_of(found);
    if (me_ == 0)
      std::printf("%-40s %10.0f ns  %.0f .. %.0f\n", what.c_str(), all.median, all.interval->low,
                  all.interval->high);
  }

  void send(int tag, std::span<const std::byte> data) {
    library_.send(peer_, tag, data.data(), data.size());
  }
  void receive(int tag, std::span<std::byte> room) {
    library_.recv(peer_, tag, room.data(), room.size());
  }
  void announce() { send(tag_ready, word_); }
  void await() { receive(tag_ready, word_); }

  double trip(std::size_t bytes) {
    const unsigned trips = bytes > 100000 ? 50 : bytes > 10000 ? 300 : 2000;
    out_.resize(bytes);
    in_.resize(bytes);
    const std::uint64_t start = clock_.now();
    for (unsigned i = 0; i < trips; ++i) {
      if (me_ == 0) send(tag_data, out_);
      receive(tag_data, in_);
      if (me_ == 1) send(tag_data, out_);
    }
    return clock_.ns(clock_.now() - start) / trips;
  }

  // The receiver does not answer before the end, as in a program that computes between windows.
  double flood(std::size_t window) {
    const std::size_t windows = 32768 / window;
    resize(window);
    const std::uint64_t start = clock_.now();
    for (std::size_t w = 0; w < windows; ++w) {
      for (std::size_t i = 0; i < window; ++i) begin(i, tag_data);
      library_.wait_all(requests_);
    }
    if (me_ == 0)
      await();
    else
      announce();
    return clock_.ns(clock_.now() - start) / static_cast<double>(windows * window);
  }

  double match(int tags, order how) {
    const int rounds = std::max(1, 20000 / tags);
    resize(static_cast<std::size_t>(tags));
    double ns = 0;
    for (int round = 0; round < rounds; ++round) {
      library_.barrier();
      const std::uint64_t start = clock_.now();
      if (how == order::unexpected && me_ == 1) await();
      if (how != order::unexpected && me_ == 0) await();
      for (int i = 0; i < tags; ++i)
        begin(static_cast<std::size_t>(i), me_ == 1 && how == order::opposite ? tags - 1 - i : i);
      if (how == order::unexpected && me_ == 0) announce();
      if (how != order::unexpected && me_ == 1) announce();
      library_.wait_all(requests_);
      ns += clock_.ns(clock_.now() - start);
    }
    return ns / rounds / tags;
  }

  void resize(std::size_t messages) {
    words_.resize(messages);
    requests_.clear();
    while (requests_.size() < messages) requests_.push_back(Library::none());
  }
  void begin(std::size_t i, int tag) {
    requests_[i] = me_ == 0 ? library_.isend(peer_, tag, words_[i].data(), word_.size())
                            : library_.irecv(peer_, tag, words_[i].data(), word_.size());
  }

  using word = std::array<std::byte, 8>;

  Library& library_;
  const int me_, peer_;
  am::clock clock_;
  word word_{};
  std::vector<std::byte> out_, in_;
  std::vector<word> words_;
  std::vector<typename Library::request> requests_;
};

}  // namespace calib
