// A port and a transport that forward every call to another one, so that a wrapper overrides only
// the calls that it changes. They derive from the pure classes: a call that they do not forward
// leaves them abstract, and does not compile (tests/compile_fail/forgotten_forward.py).
//
// The forwarding port has no credits of its own: core takes from the inner port's account, where
// the inner port books. Runs are the exception: core takes them from the port that it has, and a
// forwarding port never has one. So every request comes by send(), each with its poll.
#pragma once

#include <libam/seam/transport.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace am::detail::seam {

class forwarding_port : public port {
 public:
  // `inner` outlives it.
  explicit forwarding_port(port& inner) noexcept : forwarding_port(inner, inner.route_caps()) {}
  // With other capabilities.
  forwarding_port(port& inner, capabilities of_route) noexcept
      : port(inner.peer, of_route, inner.credits), inner_(inner) {}

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override {
    inner_.send(handler, w0, w1, w2, w3);
  }
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    return inner_.send_in_run(handler, w3, w0, w1, w2);
  }
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override {
    return inner_.send_medium(handler, words, data, bytes);
  }
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, answer_place room) noexcept override {
    return inner_.send_with_room(handler, words, data, bytes, room);
  }
  am_status make_answer_room(std::size_t bytes) noexcept override {
    return inner_.make_answer_room(bytes);
  }
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override {
    inner_.send_notice(handler, words, where, bytes);
  }
  transfer_status put(transfer& one) noexcept override { return inner_.put(one); }
  transfer_status get(transfer& one) noexcept override { return inner_.get(one); }
  am_word* mapped_word(am_word* where) noexcept override { return inner_.mapped_word(where); }
  void poll_once() noexcept override { inner_.poll_once(); }
  std::uint32_t poll_after_send() noexcept override { return inner_.poll_after_send(); }
  void refresh_credits() noexcept override { inner_.refresh_credits(); }
  void fail_pending(failure_sink& sink) noexcept override { inner_.fail_pending(sink); }
  [[nodiscard]] std::string describe_peer() const override { return inner_.describe_peer(); }
  [[nodiscard]] request_ring request_ring_view() const noexcept override {
    return inner_.request_ring_view();
  }
  [[nodiscard]] std::string describe_route() const override { return inner_.describe_route(); }

 private:
  port& inner_;
};

// For a port through which every request passes, so that core gets no run: leaves out the polls
// that the inner port does without.
class polls_without_runs {
 public:
  // `poll` returns how many of the next requests need none.
  template <class Poll>
  std::uint32_t after_send(Poll&& poll) noexcept {
    if (left_out_ != 0)
      --left_out_;
    else
      left_out_ = poll();
    return 0;
  }

 private:
  std::uint32_t left_out_ = 0;
};

// The ports that a wrapper has put around those of its transport.
template <class Port>
class wrapped_ports {
 public:
  // Around `inner`, with what else a Port is made of. Null stays null.
  template <class... More>
  port* wrap(port* inner, More&&... more) {
    if (inner == nullptr) return nullptr;
    return all_.emplace_back(std::make_unique<Port>(*inner, std::forward<More>(more)...)).get();
  }
  [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
  [[nodiscard]] auto end() const noexcept { return all_.end(); }

 private:
  std::vector<std::unique_ptr<Port>> all_;
};

// Its ports are the inner ones, unless the wrapper overrides connect().
class forwarding_transport : public transport {
 public:
  explicit forwarding_transport(std::unique_ptr<transport> inner) noexcept
      : inner_(std::move(inner)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] std::vector<std::byte> address() const override { return inner_->address(); }
  port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override {
    return inner_->connect(peer, address, why);
  }
  [[nodiscard]] capabilities caps() const noexcept override { return inner_->caps(); }
  unsigned poll(unsigned budget) noexcept override { return inner_->poll(budget); }
  void advance() noexcept override { inner_->advance(); }
  [[nodiscard]] bool has_come(am_rank peer, message_class which) noexcept override {
    return inner_->has_come(peer, which);
  }
  unsigned deliver_from(am_rank peer, message_class which, unsigned most) noexcept override {
    return inner_->deliver_from(peer, which, most);
  }
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override {
    return inner_->drain_dead_peer(peer, budget);
  }
  [[nodiscard]] std::size_t max_medium() const noexcept override { return inner_->max_medium(); }
  void* make_segment(std::size_t bytes) noexcept override { return inner_->make_segment(bytes); }
  void free_segment(void* address) noexcept override { inner_->free_segment(address); }
  void register_segment(void* address, std::size_t bytes) noexcept override {
    inner_->register_segment(address, bytes);
  }
  bool deregister_segment(void* address) noexcept override {
    return inner_->deregister_segment(address);
  }
  am_status flush() noexcept override { return inner_->flush(); }
  void leave() noexcept override { inner_->leave(); }
  [[nodiscard]] int wake_descriptor() const noexcept override { return inner_->wake_descriptor(); }
  std::chrono::nanoseconds arm() noexcept override { return inner_->arm(); }
  void disarm() noexcept override { inner_->disarm(); }

 protected:
  [[nodiscard]] transport& wrapped() const noexcept { return *inner_; }

 private:
  std::unique_ptr<transport> inner_;
};

}  // namespace am::detail::seam
