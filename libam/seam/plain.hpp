// The usual answers, for a transport without the rarer abilities: it cannot, there is none, nothing
// is to be done. They stand here and not in transport.hpp, for there a wrapper that forgot to hand
// a call on would give them in the place of what it wraps (forwarding.hpp).
#pragma once

#include <libam/seam/transport.hpp>

namespace am::detail::seam {

class plain_port : public port {
 public:
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    send(handler->id, w0, w1, w2, w3);
    return AM_OK;
  }
  am_status make_answer_room(std::size_t) noexcept override { return AM_OK; }
  reach put(transfer&) noexcept override { return reach::no_way; }
  reach get(transfer&) noexcept override { return reach::no_way; }
  am_word* word_at(am_word*) noexcept override { return nullptr; }
  std::uint32_t look_in_turn() noexcept override {
    look();
    return 0;
  }
  void give_up(mourner&) noexcept override {}
  [[nodiscard]] std::string about_peer() const override { return {}; }
  [[nodiscard]] request_ring exposed() const noexcept override { return {}; }
  [[nodiscard]] std::string about_way() const override { return {}; }

 protected:
  using port::port;
};

class plain_transport : public transport {
 public:
  unsigned last_words(am_rank, unsigned) noexcept override { return 0; }
  void* make_segment(std::size_t) noexcept override { return nullptr; }
  void free_segment(void*) noexcept override {}
  void adopt_segment(void*, std::size_t) noexcept override {}
  bool abandon_segment(void*) noexcept override { return false; }
  void leave() noexcept override {}
  [[nodiscard]] int wake_descriptor() const noexcept override { return -1; }
  void disarm() noexcept override {}
};

}  // namespace am::detail::seam
