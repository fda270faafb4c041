// A transport around another one that tells where the program calls the library (AM_DILATE): nearly
// every call comes to a transport, and the time in there is none of the program's.
#pragma once

#include <libam/dilate/computation.hpp>
#include <libam/seam/forwarding.hpp>

#include <memory>

namespace am::detail::dilate {

class dilated_port final : public seam::forwarding_port {
 public:
  dilated_port(seam::port& inner, computation& of) noexcept : forwarding_port(inner), of_(of) {}

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override {
    const library_call here(of_);
    forwarding_port::send(handler, w0, w1, w2, w3);
  }
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override {
    const library_call here(of_);
    return forwarding_port::send_medium(handler, words, data, bytes);
  }
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override {
    const library_call here(of_);
    return forwarding_port::send_with_room(handler, words, data, bytes, room);
  }
  am_status make_answer_room(std::size_t bytes) noexcept override {
    const library_call here(of_);
    return forwarding_port::make_answer_room(bytes);
  }
  void send_notice(std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept override {
    const library_call here(of_);
    forwarding_port::send_notice(handler, words, where, bytes);
  }
  seam::transfer_status put(seam::transfer& one) noexcept override {
    const library_call here(of_);
    return forwarding_port::put(one);
  }
  seam::transfer_status get(seam::transfer& one) noexcept override {
    const library_call here(of_);
    return forwarding_port::get(one);
  }
  // Core changes that word next.
  am_word* mapped_word(am_word* where) noexcept override {
    const library_call here(of_);
    return forwarding_port::mapped_word(where);
  }
  void poll_once() noexcept override {
    const library_call here(of_);
    forwarding_port::poll_once();
  }
  std::uint32_t poll_after_send() noexcept override {
    const library_call here(of_);
    return polls_.after_send([this] { return forwarding_port::poll_after_send(); });
  }
  void refresh_credits() noexcept override {
    const library_call here(of_);
    forwarding_port::refresh_credits();
  }

 private:
  computation& of_;
  seam::polls_without_runs polls_;
};

class dilated_transport final : public seam::forwarding_transport {
 public:
  dilated_transport(std::unique_ptr<seam::transport> inner, computation& of) noexcept
      : forwarding_transport(std::move(inner)), of_(of) {}

  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override {
    return ports_.wrap(forwarding_transport::connect(peer, address, why), of_);
  }
  unsigned poll(unsigned budget) noexcept override {
    const library_call here(of_);
    return forwarding_transport::poll(budget);
  }
  unsigned drain_dead_peer(am_rank peer, unsigned budget) noexcept override {
    const library_call here(of_);
    return forwarding_transport::drain_dead_peer(peer, budget);
  }
  am_status flush() noexcept override {
    const library_call here(of_);
    return forwarding_transport::flush();
  }
  void* make_segment(std::size_t bytes) noexcept override {
    const library_call here(of_);
    return forwarding_transport::make_segment(bytes);
  }
  void free_segment(void* address) noexcept override {
    const library_call here(of_);
    forwarding_transport::free_segment(address);
  }
  void register_segment(void* address, std::size_t bytes) noexcept override {
    const library_call here(of_);
    forwarding_transport::register_segment(address, bytes);
  }
  bool deregister_segment(void* address) noexcept override {
    const library_call here(of_);
    return forwarding_transport::deregister_segment(address);
  }
  std::chrono::nanoseconds arm() noexcept override {
    const library_call here(of_);
    return forwarding_transport::arm();
  }

 private:
  computation& of_;
  seam::wrapped_ports<dilated_port> ports_;
};

}  // namespace am::detail::dilate
