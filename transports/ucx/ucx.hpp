// Ranks of one host or of many through UCX, over whatever network and shared memory it finds. A
// pair is put on it when a message has gone both ways.
#pragma once

#include <libam/packed/peers.hpp>
#include <libam/packed/rare_looks.hpp>
#include <libam/seam/plain.hpp>
#include <transports/ucx/channel.hpp>
#include <transports/ucx/contact.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/segments.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::ucx {

class ucx_transport final : public seam::plain_transport, private channel_keeper, private hearer {
 public:
  ucx_transport(const seam::host& host, std::unique_ptr<engine> ucx);
  ~ucx_transport() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "ucx"; }
  [[nodiscard]] std::vector<std::byte> address() const override;
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override;
  [[nodiscard]] seam::capabilities can() const noexcept override {
    return ucx_can.with(seam::capability::wakes, ucx_->descriptor() >= 0);
  }
  unsigned poll(unsigned budget) noexcept override;
  unsigned last_words(am_rank peer, unsigned budget) noexcept override;
  [[nodiscard]] std::size_t max_medium() const noexcept override {
    return ucx_->payloads().max_medium();
  }
  void* make_segment(std::size_t bytes) noexcept override;
  void adopt_segment(void* address, std::size_t bytes) noexcept override;
  bool abandon_segment(void* address) noexcept override;
  void free_segment(void* address) noexcept override;
  am_status flush() noexcept override;
  void leave() noexcept override { leaving_ = true; }
  [[nodiscard]] int wake_descriptor() const noexcept override { return ucx_->descriptor(); }
  std::chrono::nanoseconds arm() noexcept override;

 private:
  using clock = std::chrono::steady_clock;
  // Who has spoken speaks again soon: so many polls look without asking the clock.
  static constexpr unsigned polls_of_a_talk = 2000;

  struct greeting {
    am_rank from;
    std::vector<std::byte> contact;
  };

  // ---- channel_keeper ----
  void is_lost(channel& one, std::string_view why, packed::sign of) noexcept override;
  void progress_quietly() noexcept override;
  void has_input(channel& one) noexcept override;
  void begins_transfer() noexcept override { ++transfers_; }
  void ends_transfer() noexcept override { --transfers_; }

  // ---- hearer ----
  bool has_come(kind what, am_rank from, std::span<const std::byte> bytes,
                bool lent) noexcept override;
  bool hear_frame(channel& with, std::span<const std::byte> bytes, bool lent) noexcept;

  channel& channel_to(am_rank peer);
  bool reach_out(channel& to, const contact& theirs, std::string& why);
  void answer_greetings();
  void announce_segments(channel& to);
  void withdraw_segment(void* address) noexcept;
  void tell_all(kind what, std::span<const std::byte> announcement);
  void note_spoken(channel& one) noexcept;
  void tell_of_losses() noexcept;
  void send_open_frames() noexcept;
  bool is_time_to_look() noexcept;
  void look(unsigned budget) noexcept;
  void close_endpoints() noexcept;

  const seam::host host_;
  std::unique_ptr<engine> ucx_;
  own_segments segments_;
  const contact own_;
  peers peers_;
  std::vector<channel*> spoken_;      // have delivered something in this look
  std::vector<channel*> with_input_;  // have kept frames
  std::vector<greeting> greetings_;
  std::vector<channel*> lost_;  // their peers have yet to be told
  packed::rare_looks pace_;
  unsigned lively_polls_ = 0;  // so many more look at once
  std::size_t transfers_ = 0;  // under way
  unsigned budget_ = 0;        // of the poll that runs
  bool must_look_ = false;     // UCX has said that something is there, and says it once
  bool leaving_ = false;
};

seam::make_transport make;

}  // namespace am::detail::ucx
