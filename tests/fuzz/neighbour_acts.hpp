// The acts of a neighbour, and of the rank beside it: an input selects one after the other. A
// target is a list of acts. At the end all promises are checked.
#pragma once

#include "neighbour_job.hpp"
#include "target.hpp"

namespace am_test::fuzz {

class scenario {
 public:
  using act = void (scenario::*)();
  // The input's first byte selects the credits and the bulk method.
  scenario(bytes_in input, std::span<const act> acts, bool with_segment);
  ~scenario();
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;

  void run();

  // ---- the neighbour's acts ----
  void publish();              // a request of any content, in the next slot
  void publish_valid();        // one that is valid except its handler and words
  void answer();               // a reply of any content
  void publish_of_team();      // like publish, to libam's handlers of collectives
  void overwrite_slot();       // a word anywhere in the rings, its own or the rank's
  void write_payload();        // words in its room
  void write_channel_word();   // a counter or mark of a channel
  void write_new_senders();    // the list of new senders
  void write_control_block();  // the bits of a control block, and its other words
  void write_exit_report();    // an exit flag, perhaps of another rank
  void list_segment();         // an entry of its directory

  // ---- the rank's acts ----
  void poll();
  void request();
  void request_medium();
  void store();
  void get();
  void atomic_operation();
  void arm();

  // Runs an act of the neighbour inside a handler of the rank, or at a barrier.
  void run_neighbour_act();

 private:
  // The position of a writer in a ring.
  struct ring_writer {
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

  input_reader input_;
  std::span<const act> acts_;
  const std::uint64_t credits_;
  neighbour_job job_;
  ring_writer requests_;
  ring_writer replies_;
  const arena& open_;     // what messages may name
  const arena& landing_;  // the target of the rank's gets
  std::byte* segment_ = nullptr;
  unsigned sent_ = 0;  // messages that may have to wait for a credit
  unsigned nested_acts_ = 0;
};

}  // namespace am_test::fuzz
