// A transport around another one, in which things go wrong (AM_FAULT): what is delivered comes
// late, what could be sent is refused, ranks sleep or die. Nothing is lost, doubled or put out of
// order: every program that keeps libam's rules works as before, but more slowly.
//
// Messages are held back where they arrive, not where they are sent: what has been accepted leaves
// without the sender's help.
#pragma once

#include <libam/seam/forwarding.hpp>
#include <transports/hook/mischief.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace am::detail::hook {

class faulty_port final : public seam::forwarding_port {
 public:
  faulty_port(seam::port& inner, mischief& all) noexcept : forwarding_port(inner), mischief_(all) {}

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  am_status send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                           std::size_t bytes, seam::answer_place room) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  seam::reach put(seam::transfer& one) noexcept override;
  void look() noexcept override;
  std::uint32_t look_in_turn() noexcept override {  // each look is one that may be held back
    look();
    return 0;
  }
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;

  // Nothing is hidden any more; says whether anything was since this was last asked.
  bool relent() noexcept {
    credits.show_hidden();
    return std::exchange(lied_, false);
  }

 private:
  void hide_credits_with_luck() noexcept;
  bool feigns_no_room() noexcept;

  mischief& mischief_;
  bool lied_ = false;  // somebody may wait for credits, or for room, that are there
};

class faulty_transport final : public seam::forwarding_transport {
 public:
  faulty_transport(std::unique_ptr<seam::transport> inner, const seam::host& host);

  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  unsigned poll(unsigned budget) noexcept override;
  std::chrono::nanoseconds arm() noexcept override;

 private:
  mischief mischief_;
  std::vector<std::unique_ptr<faulty_port>> ports_;
};

std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::host& host);

}  // namespace am::detail::hook
