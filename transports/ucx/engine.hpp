// UCX as one rank uses it: a context, a worker, and the messages that come to it. Endpoints to
// others are the channels' own.
#pragma once

#include <libam/wire/frame.hpp>
#include <libam/wire/packer.hpp>

#include <am/types.h>

#include <ucp/api/ucp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace am::detail::ucx {

// What ranks send each other through UCX, each kind under an id of its own. All begin with 32 bits
// that say who has sent them, a frame in the place of its check.
enum class kind : unsigned {
  hello = 1,   // the sender's contact: answer there
  welcome,     // the answer: so messages go both ways
  frame,       // of messages (libam/wire)
  segment,     // memory that may be written and read from afar
  no_segment,  // and is no more
  forgotten,   // the answer to that: nobody there will write or read it
  lost,        // this pair, as the sender sees it, and why: text
  wish,        // for an id under which lone messages go without their frame
  offer        // of one
};
inline constexpr std::size_t kinds = 9;

// What an id of that sort says of the message that comes under it.
struct lone_message {
  am_rank from;
  wire::message_kind kind;  // a request or a reply
  bool has_silent;          // its sender has had one more request without an answer
  std::uint16_t handler;
};

// Bytes that have come and are UCX's, or a copy: good as long as this lives.
class arrival {
 public:
  arrival(ucp_worker_h from, std::span<const std::byte> bytes, bool lent);
  arrival(arrival&& other) noexcept;
  arrival& operator=(arrival&&) = delete;
  ~arrival();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  ucp_worker_h lender_ = nullptr;
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

// As frames are.
inline bool is_aligned(const std::byte* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % wire::payload_step == 0;
}

class hearer {
 public:
  // While progress() runs; a frame with its beginning, other kinds without. `lent`: who makes an
  // arrival of the bytes and says true keeps them.
  virtual bool has_come(kind what, am_rank from, std::span<const std::byte> bytes,
                        bool lent) noexcept = 0;
  // The words of a message that came without its frame, whatever they are.
  virtual void has_come_alone(const lone_message& what,
                              std::span<const std::byte> words) noexcept = 0;

 protected:
  ~hearer() = default;
};

class engine {
 public:
  // Null and one line, UCX's own, if it cannot serve here. `wakes`: there is a descriptor to sleep
  // on, for which UCX may leave some of its ways out.
  static std::unique_ptr<engine> start(bool wakes, am_rank own, wire::payload_sizes payloads,
                                       std::string& why);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  void listen(hearer& to) noexcept { hearer_ = &to; }
  // What comes under this id runs `run`, with `with`. What comes under any other is passed over.
  ucs_status_t listen_at(unsigned id, ucp_am_recv_callback_t run, void* with) noexcept;

  // What another engine's endpoint needs.
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept { return address_; }
  [[nodiscard]] ucp_worker_h worker() const noexcept { return worker_; }
  [[nodiscard]] ucp_context_h context() const noexcept { return context_; }
  [[nodiscard]] am_rank own_rank() const noexcept { return own_; }
  [[nodiscard]] wire::payload_sizes payloads() const noexcept { return payloads_; }

  // Each message of so many bytes goes in one fragment on every way that this worker has: UCX keeps
  // the order of those. Settings of UCX's can make fragments shorter.
  static constexpr std::size_t small_message = 512;
  [[nodiscard]] bool keeps_order() const noexcept { return keeps_order_; }

  // For one frame at a time that UCX gives at an odd address.
  [[nodiscard]] std::byte* room_for_frame() noexcept { return room_.get(); }

  // Does what there is to do; 0: nothing.
  unsigned progress() noexcept { return ucp_worker_progress(worker_); }

  // ---- sleeping ----
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }  // -1: none
  // True: the descriptor will become readable when something comes.
  bool arm() noexcept { return descriptor_ >= 0 && ucp_worker_arm(worker_) == UCS_OK; }

 private:
  struct ear {
    engine* of;
    kind what;
  };

  engine(am_rank own, wire::payload_sizes payloads) : own_(own), payloads_(payloads) {}
  bool open_context(bool wakes, std::string& why);
  bool open_worker(bool wakes, std::string& why);
  void learn_fragments() noexcept;
  bool pass_all_over(std::string& why);
  bool open_ears(std::string& why);
  static ucs_status_t hear(void* ear, const void* header, std::size_t header_bytes, void* data,
                           std::size_t bytes, const ucp_am_recv_param_t* how) noexcept;

  const am_rank own_;
  const wire::payload_sizes payloads_;
  hearer* hearer_ = nullptr;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
  bool keeps_order_ = false;
  std::vector<std::byte> address_;
  wire::packer::room room_ = wire::packer::make_room(payloads_);
  std::array<ear, kinds> ears_{};
};

}  // namespace am::detail::ucx
