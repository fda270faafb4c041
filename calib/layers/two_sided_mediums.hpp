// Two-sided messages of some size, as in a program that needs high rates: a ring of posted receives
// and a ring of sends in flight, each with a buffer of its own. If bidirectional, a side polls for
// messages after each send and while it waits for a buffer.
#pragma once

#include <calib/layers/medium_sides.hpp>
#include <calib/program/two_sided.hpp>

#include <string>
#include <vector>

namespace calib {

template <two_sided Library>
class two_sided_mediums : public medium_sides<two_sided_mediums<Library>> {
 public:
  two_sided_mediums(Library& library, int peer, unsigned sends, unsigned receives)
      : library_(library), peer_(peer) {
    while (sends_.size() < sends) sends_.push_back(Library::none());
    while (receives_.size() < receives) receives_.push_back(Library::none());
  }

  [[nodiscard]] std::string name() const {
    return "sends=" + std::to_string(sends_.size()) +
           ",receives=" + std::to_string(receives_.size());
  }
  void set(const medium_spec& what) {
    what_ = what;
    out_.set(sends_.size(), what.bytes);
    in_.set(receives_.size(), what.bytes);
  }

  void send_medium() {
    const std::size_t slot = next_ % sends_.size();
    while (!library_.test(sends_[slot])) read_arrived();
    pack(out_[slot], what_.bytes, next_++);
    sends_[slot] = library_.isend(peer_, tag_medium, out_[slot], what_.bytes);
    read_arrived();
  }

 private:
  using sides = medium_sides<two_sided_mediums>;
  friend sides;
  using sides::expected_;
  using sides::next_;
  using sides::received_;
  using sides::what_;
  static constexpr int tag_medium = 4;
  static constexpr int tag_word = 5;

  void post_receives() {
    receives_posted_ = 0;
    while (receives_posted_ < std::min<std::uint64_t>(expected_, receives_.size())) post_receive();
  }
  void post_receive() {
    const std::size_t slot = receives_posted_++ % receives_.size();
    receives_[slot] = library_.irecv(peer_, tag_medium, in_[slot], what_.bytes);
  }
  // The oldest receive, which has completed.
  void read_oldest() {
    sides::read(in_[received_ % receives_.size()]);
    if (receives_posted_ < expected_) post_receive();
  }
  void wait_for_first() { read_next(); }
  void read_next() {
    library_.wait(receives_[received_ % receives_.size()]);
    read_oldest();
  }
  void read_arrived() {
    while (received_ < expected_ && library_.test(receives_[received_ % receives_.size()]))
      read_oldest();
  }
  void finish() {
    while (received_ < expected_) read_next();
    library_.wait_all(sends_);
  }

  void send_word(std::uint64_t word) {
    library_.send(peer_, tag_word, reinterpret_cast<const std::byte*>(&word), sizeof word);
  }
  std::uint64_t receive_word() {
    std::uint64_t word = 0;
    library_.recv(peer_, tag_word, reinterpret_cast<std::byte*>(&word), sizeof word);
    return word;
  }

  Library& library_;
  int peer_;
  std::vector<typename Library::request> sends_, receives_;
  message_buffers out_, in_;
  std::uint64_t receives_posted_ = 0;
};

}  // namespace calib
