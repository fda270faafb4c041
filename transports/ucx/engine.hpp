// UCX as one rank uses it: a context, a worker, and the messages that come to it. The channels own
// the endpoints.
#pragma once

#include <libam/wire/frame.hpp>

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

// The messages of ranks through UCX, each kind under an id of its own. All begin with the sender's
// rank in 32 bits, a frame in the place of its check.
enum class kind : unsigned {
  hello = 1,          // the sender's address: answer there
  welcome,            // the answer: messages go both ways
  frame,              // of messages (libam/wire)
  segment,            // memory that the receiver may write and read
  segment_withdrawn,  // which it may no longer
  segment_forgotten,  // the answer to that: no rank there will write or read it
  lost,               // the sender has lost this pair; the reason as text
  id_request,         // asks for an id under which lone messages go without their frame
  id_offer            // offers one
};
inline constexpr std::size_t kind_count = 9;

// Frames of so many bytes are sent: a fragment of UCX's shared-memory and TCP transports has 8 KiB
// for both headers and the frame.
inline constexpr std::size_t full_frame_bytes = std::size_t{8} * 1024 - 128;

// What the id of a message without its frame says about it.
struct lone_message {
  am_rank from;
  wire::message_kind kind;  // a request or a reply
  bool has_silent;          // one more silent request of this rank has been handled there
  std::uint16_t handler;
};

// Bytes that have come, in UCX's memory or copied; valid as long as this lives.
class received_data {
 public:
  received_data(ucp_worker_h from, std::span<const std::byte> bytes, bool holdable);
  received_data(received_data&& other) noexcept;
  received_data& operator=(received_data&&) = delete;
  ~received_data();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  ucp_worker_h worker_ = nullptr;
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

// For a frame.
inline bool is_aligned(const std::byte* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % wire::payload_step == 0;
}

class message_sink {
 public:
  // Called by progress(). `bytes` lack the sender's rank, except for a frame. `holdable`: make a
  // received_data of them and return true to keep them in UCX's memory.
  virtual bool on_message(kind what, am_rank from, std::span<const std::byte> bytes,
                          bool holdable) noexcept = 0;
  // The words of a message that came without its frame, unchecked.
  virtual void on_lone_message(const lone_message& what,
                               std::span<const std::byte> words) noexcept = 0;

 protected:
  ~message_sink() = default;
};

class engine {
 public:
  // Null and one line, UCX's own, if UCX cannot be used here. `wakes`: with a descriptor to sleep
  // on, for which UCX may leave some of its transports out.
  static std::unique_ptr<engine> start(bool wakes, am_rank own, wire::payload_sizes payloads,
                                       std::string& why);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  void set_sink(message_sink& to) noexcept { sink_ = &to; }
  // Messages under this id run `run`, with `with`. Those under any other are ignored.
  ucs_status_t set_recv_handler(unsigned id, ucp_am_recv_callback_t run, void* with) noexcept;

  // The worker's address, for the endpoint of another engine.
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept { return address_; }
  [[nodiscard]] ucp_worker_h worker() const noexcept { return worker_; }
  [[nodiscard]] ucp_context_h context() const noexcept { return context_; }
  [[nodiscard]] am_rank own_rank() const noexcept { return own_; }
  [[nodiscard]] wire::payload_sizes payloads() const noexcept { return payloads_; }
  [[nodiscard]] std::size_t most_frame_bytes() const noexcept {
    return wire::most_frame_bytes(payloads_, full_frame_bytes);
  }

  // A message of at most this size goes in one fragment on every lane of this worker, and UCX keeps
  // the order of such messages. Settings of UCX's can make fragments shorter: then keeps_order() is
  // false.
  static constexpr std::size_t single_fragment_bytes = 512;
  [[nodiscard]] bool keeps_order() const noexcept { return keeps_order_; }

  // For one frame at a time that UCX delivers unaligned.
  [[nodiscard]] std::byte* aligned_buffer() noexcept { return aligned_buffer_.get(); }

  // Progresses the worker; 0: there was nothing to do.
  unsigned progress() noexcept { return ucp_worker_progress(worker_); }

  // ---- sleeping ----
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }  // -1: none
  // True: the descriptor will become readable when something comes.
  bool arm() noexcept { return descriptor_ >= 0 && ucp_worker_arm(worker_) == UCS_OK; }

 private:
  struct recv_context {
    engine* owner;
    kind what;
  };

  engine(am_rank own, wire::payload_sizes payloads) : own_(own), payloads_(payloads) {}
  bool open_context(bool wakes, std::string& why);
  bool open_worker(bool wakes, std::string& why);
  void query_fragment_size() noexcept;
  bool ignore_all_ids(std::string& why);
  bool set_recv_handlers(std::string& why);
  static ucs_status_t on_receive(void* arg, const void* header, std::size_t header_bytes,
                                 void* data, std::size_t bytes,
                                 const ucp_am_recv_param_t* how) noexcept;

  const am_rank own_;
  const wire::payload_sizes payloads_;
  message_sink* sink_ = nullptr;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
  bool keeps_order_ = false;
  std::vector<std::byte> address_;
  wire::aligned_buffer aligned_buffer_ = wire::make_aligned_buffer(most_frame_bytes());
  std::array<recv_context, kind_count> recv_contexts_{};
};

}  // namespace am::detail::ucx
