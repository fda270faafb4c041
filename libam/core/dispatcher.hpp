// The table of handlers, which thread may call (may_call.cpp), and what a running handler may do
// and read (reply.cpp).
#pragma once

#include <am/am.h>
#include <libam/base/zeroed_array.hpp>
#include <libam/core/handlers.hpp>
#include <libam/core/membership.hpp>
#include <libam/core/thread.hpp>
#include <libam/seam/inbox.hpp>

#include <string_view>
#include <vector>

namespace am::detail::core {

class hooked_handlers;
struct exposure;

class dispatcher final : public seam::inbox {
 public:
  dispatcher(membership& membership, am_ep* handle, seam::event_sink& events, am_rank ranks);

  // ---- may_call.cpp: the owner's thread, outside handlers, while the endpoint is in its job ----
  [[nodiscard]] bool may_call() const noexcept { return allowed_thread_ == this_thread(); }
  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
  // May the caller make the calls that handlers may make, too?
  [[nodiscard]] bool is_owner_thread() const noexcept {
    return is_open() && owner_ == this_thread();
  }
  [[gnu::cold]] am_status refuse(const char* call) const;  // why may_call() is false
  void open() noexcept { allowed_thread_ = owner_; }
  am_status adopt();
  void on_fork() noexcept;  // this is the child of a fork
  void leave() noexcept;    // no call is allowed any more
  void release_memory() noexcept;

  // ---- the table ----
  // Handlers keep their numbers and counts.
  void install(std::vector<entry> table) noexcept;
  static am_handler_fn on_missing_handler;  // in the entries of handlers that this rank lacks
  [[nodiscard]] bool is_numbered(const am_handler* handler) const noexcept {
    return handler != nullptr && handler->id < count_;
  }
  // Unknown ids have an entry, too.
  [[nodiscard]] const entry& handler(std::uint32_t id) const noexcept {
    return table_[id < count_ ? id : count_];
  }
  [[nodiscard]] const std::vector<entry>& handlers() const noexcept { return handlers_; }
  [[nodiscard]] bool is_of_library(std::uint32_t id) const noexcept {
    return (handler(id).flags & AM_HANDLER_OF_LIBRARY) != 0;
  }
  [[nodiscard]] const receive_counts& received_from(am_rank rank) const noexcept {
    return received_[rank];
  }

  // ---- reply.cpp ----
  am_status reply(std::uint64_t serial, const am_handler* handler, am_word w0, am_word w1,
                  am_word w2, am_word w3);
  // ---- data_answers.cpp: answers with data ----
  am_status reply_medium(std::uint64_t serial, const am_handler* handler, const void* data,
                         std::size_t bytes, const am_word* words);
  // No bytes: an address that is not read. Throws std::bad_alloc, and nothing has happened.
  am_status reply_store(std::uint64_t serial, void* where, const void* data, std::size_t bytes,
                        const am_handler* handler, const am_word* words);
  // How many bytes the answer to the message that runs may have.
  [[nodiscard]] std::size_t reply_room(std::uint64_t serial) const noexcept {
    return serial == serial_ && serial != last_answered_ ? with_room_.room : 0;
  }

  [[nodiscard]] am_rank source() const noexcept { return source_; }
  [[nodiscard]] std::uint32_t running() const noexcept { return running_; }
  // The sender of the running message names bytes in this rank's memory; that is not checked.
  [[nodiscard]] bool is_placed() const noexcept { return placed_; }
  // A message of libam's own carries one for `handler`: runs that in its place, or returns it.
  void run_carried(am_token token, std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept;
  // False: it was an answer, which cannot be returned; the running handler is set all the same.
  bool return_carried(am_status reason, std::uint32_t handler, const am_word* words) noexcept;
  [[noreturn]] void on_handler_exception(const char* handler, const char* what) noexcept;
  [[noreturn, gnu::cold]] void report_violation(const char* what, std::uint64_t found,
                                                std::uint64_t allowed) noexcept;

  void fill_exposure(exposure& to) const noexcept;

 private:
  friend hooked_handlers;
  enum class state { open, left, forked };

  // Whether the message that runs may be answered, and by that handler.
  [[nodiscard]] bool may_reply(std::uint64_t serial, const am_handler* handler) const noexcept {
    return serial == serial_ && return_path_ != nullptr && serial != last_answered_ &&
           is_numbered(handler);
  }
  [[gnu::cold]] am_status refuse_reply(std::uint64_t serial, const am_handler* handler) const;

  membership& membership_;
  state state_ = state::open;
  std::vector<entry> handlers_;
  base::zeroed_array<receive_counts> received_;  // by rank
  std::vector<std::byte> store_buffer_;          // an answer, while it is composed
  hooked_handlers* hooked_ = nullptr;            // what runs those of the table, if there are hooks
};

}  // namespace am::detail::core
