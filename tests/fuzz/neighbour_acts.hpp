// What a neighbour may do, and the rank beside it: one act after the other as an input says. A
// target is a list of acts. Afterwards it is asked whether all promises were kept.
#pragma once

#include "neighbour_job.hpp"
#include "target.hpp"

namespace am_test::fuzz {

class play {
 public:
  using act = void (play::*)();
  // The input's first byte chooses the credits and the way of bulk data.
  play(bytes_in input, std::span<const act> acts, bool with_segment);
  ~play();
  play(const play&) = delete;
  play& operator=(const play&) = delete;

  void run();

  // ---- the neighbour's acts ----
  void publish();          // a request, of any content, where the next is looked for
  void publish_right();    // one that is right but for its handler and words
  void answer();           // a reply, of any content
  void publish_of_team();  // the same to libam's handlers of collectives
  void scribble();         // a word anywhere in the rings, its own or the rank's
  void write_payload();    // words in its room
  void tell();             // one of the words beside the rings
  void arrive();           // the list of arrivals
  void knock();            // the doorstep's bits, and its other words
  void die();              // an obituary, perhaps of somebody else
  void list_segment();     // an entry of its directory

  // ---- the rank's ----
  void poll();
  void request();
  void request_medium();
  void store();
  void get();
  void change();  // an atomic operation
  void arm();

  // An act of the neighbour inside a handler of the rank, or at a barrier.
  void meddle();

 private:
  // Where a writer stands in a ring.
  struct pen {
    am::detail::shm::slot* first;
    std::uint32_t slots = am::detail::shm::first_slots;
    std::uint32_t at = 0;
    am::detail::shm::generation lap = am::detail::shm::first_generation;
    am::detail::shm::slot& next() noexcept { return first[at]; }
    void publish(std::uint64_t control) noexcept;
  };

  std::uint64_t word();
  std::uint32_t number();
  std::uint32_t handler();
  void fill_words(am::detail::shm::slot& one);
  void fill(am::detail::shm::slot& one, am::detail::shm::kind what);
  [[nodiscard]] bool may_send() noexcept;
  void check();

  taken input_;
  std::span<const act> acts_;
  const std::uint64_t credits_;
  neighbour_job job_;
  pen requests_;
  pen replies_;
  const arena& open_;     // what messages may name
  const arena& landing_;  // where gets of the rank land
  std::byte* segment_ = nullptr;
  unsigned sent_ = 0;  // messages that may have to wait for a credit
  unsigned meddling_ = 0;
};

}  // namespace am_test::fuzz
