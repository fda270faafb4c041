// A transport around another one, in which things go wrong (AM_FAULT): what is delivered comes
// late, what could be sent is refused, ranks sleep or die. Nothing is lost, doubled or put out of
// order: every program that keeps libam's rules works as before, but more slowly.
//
// Messages are held back where they arrive, not where they are sent: what has been accepted leaves
// without the sender's help.
#pragma once

#include <libam/seam/plain.hpp>
#include <transports/hook/mischief.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace am::detail::hook {

class faulty_transport;

// Core takes credits from this port; the real ones are the inner port's. Whenever one of both may
// have moved, these are made like those, or shown as used up.
class faulty_port final : public seam::plain_port {
 public:
  faulty_port(seam::port& inner, faulty_transport& transport) noexcept;

  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override;
  am_status send_medium(std::uint32_t handler, const am_word* words, const void* data,
                        std::size_t bytes) noexcept override;
  void send_bulk(std::uint32_t handler, const am_word* words, void* where,
                 std::size_t bytes) noexcept override;
  seam::reach put(seam::transfer& one) noexcept override;
  seam::reach get(seam::transfer& one) noexcept override { return inner_.get(one); }
  am_word* word_at(am_word* where) noexcept override { return inner_.word_at(where); }
  void look() noexcept override;
  void refresh() noexcept override;
  void give_up(seam::mourner& all) noexcept override;
  bool oldest(unanswered& out) const noexcept override { return inner_.oldest(out); }
  [[nodiscard]] std::string about_peer() const override { return inner_.about_peer(); }
  [[nodiscard]] const void* exposed() const noexcept override { return inner_.exposed(); }
  [[nodiscard]] std::string about_way() const override { return inner_.about_way(); }

  // The inner credits have moved.
  void follow() noexcept;
  // Nothing is hidden any more; says whether anything was since this was last asked.
  bool relent() noexcept {
    short_ = false;
    return std::exchange(lied_, false);
  }

 private:
  void follow_with_luck() noexcept;

  seam::port& inner_;
  faulty_transport& transport_;
  bool short_ = false;  // shown without credits, until the next refresh
  bool lied_ = false;   // somebody may wait for credits, or for room, that are there
};

class faulty_transport final : public seam::plain_transport {
 public:
  faulty_transport(std::unique_ptr<seam::transport> inner, const seam::host& host);

  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] std::vector<std::byte> address() const override { return inner_->address(); }
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities can() const noexcept override { return inner_->can(); }
  unsigned poll(unsigned budget) noexcept override;
  unsigned last_words(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override { return inner_->max_medium(); }
  void* make_segment(std::size_t bytes) noexcept override { return inner_->make_segment(bytes); }
  void adopt_segment(void* address, std::size_t bytes) noexcept override {
    inner_->adopt_segment(address, bytes);
  }
  bool abandon_segment(void* address) noexcept override { return inner_->abandon_segment(address); }
  void free_segment(void* address) noexcept override { inner_->free_segment(address); }
  am_status flush() noexcept override { return inner_->flush(); }
  void leave() noexcept override { inner_->leave(); }
  [[nodiscard]] int wake_descriptor() const noexcept override { return inner_->wake_descriptor(); }
  std::chrono::nanoseconds arm() noexcept override;
  void disarm() noexcept override { inner_->disarm(); }

 private:
  friend faulty_port;

  void follow_all() noexcept;

  std::unique_ptr<seam::transport> inner_;
  mischief mischief_;
  std::vector<std::unique_ptr<faulty_port>> ports_;
};

std::unique_ptr<seam::transport> wrap(std::unique_ptr<seam::transport> inner,
                                      const seam::host& host);

}  // namespace am::detail::hook
