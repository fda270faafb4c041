// The table of handlers, and what runs from it: who may call (gate.cpp), and what a running handler
// may do and ask (reply.cpp).
#pragma once

#include <am/am.h>
#include <libam/core/handlers.hpp>
#include <libam/core/membership.hpp>
#include <libam/core/thread.hpp>
#include <libam/seam/inbox.hpp>

#include <string_view>
#include <vector>

namespace am::detail::core {

struct exposure;

class dispatcher final : public seam::inbox {
 public:
  dispatcher(membership& in, am_ep* face, seam::news& told, am_rank ranks);

  // ---- gate.cpp: the owner's thread calls, outside handlers, while the endpoint is in its job
  // ----
  [[nodiscard]] bool in_order() const noexcept { return gate_ == this_thread(); }
  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
  // In order for calls that handlers may make, too.
  [[nodiscard]] bool is_owners() const noexcept { return is_open() && owner_ == this_thread(); }
  [[gnu::cold]] am_status refuse(const char* call) const;  // why the gate is shut
  void open() noexcept { gate_ = owner_; }
  am_status adopt();
  void forked() noexcept;  // this is the child of a fork
  void leave() noexcept;   // no call is in order any more
  void give_back_memory() noexcept;

  // ---- the table ----
  // Numbers stay, and so do counts.
  void install(std::vector<entry> table) noexcept;
  static am_handler_fn give_back_missing;  // the entry of handlers that this rank does not have
  [[nodiscard]] bool knows(const am_handler* handler) const noexcept {
    return handler != nullptr && handler->id < count_;
  }
  // Ids of no handler have an entry, too.
  [[nodiscard]] const entry& handler(std::uint32_t id) const noexcept {
    return table_[id < count_ ? id : count_];
  }
  [[nodiscard]] const std::vector<entry>& handlers() const noexcept { return handlers_; }
  [[nodiscard]] bool is_of_library(std::uint32_t id) const noexcept {
    return (handler(id).flags & AM_HANDLER_OF_LIBRARY) != 0;
  }
  [[nodiscard]] const arrivals& came_from(am_rank rank) const noexcept { return came_[rank]; }

  // ---- reply.cpp ----
  am_status reply(std::uint64_t serial, const am_handler* handler, am_word w0, am_word w1,
                  am_word w2, am_word w3);
  // ---- answers.cpp: those with data ----
  am_status reply_medium(std::uint64_t serial, const am_handler* handler, const void* data,
                         std::size_t bytes, const am_word* words);
  // No bytes: an address that nobody looks at. Throws std::bad_alloc, and nothing has happened.
  am_status reply_store(std::uint64_t serial, void* where, const void* data, std::size_t bytes,
                        const am_handler* handler, const am_word* words);
  // How many bytes the answer to the message that runs may have.
  [[nodiscard]] std::size_t reply_room(std::uint64_t serial) const noexcept {
    return serial == serial_ && serial != answered_ ? with_room_.room : 0;
  }

  [[nodiscard]] am_rank source() const noexcept { return source_; }
  [[nodiscard]] std::uint32_t running() const noexcept { return running_; }
  // The bytes of the message that runs stand where its sender says, or so it says.
  [[nodiscard]] bool is_placed() const noexcept { return placed_; }
  // A message of libam's own that carries one for `handler`: that runs in its place, or goes back.
  void run_instead(am_token token, std::uint32_t handler, const am_word* words, void* where,
                   std::size_t bytes) noexcept;
  // False: that was an answer, which nothing goes back of; the handler is known all the same.
  bool give_back_instead(am_status reason, std::uint32_t handler, const am_word* words) noexcept;
  [[noreturn]] void handler_threw(const char* handler, const char* what) noexcept;
  [[noreturn, gnu::cold]] void accuse(const char* what, std::uint64_t found,
                                      std::uint64_t allowed) noexcept;

  void show(exposure& to) const noexcept;

 private:
  enum class state { open, left, forked };

  // Whether the message that runs may be answered, and by that handler.
  [[nodiscard]] bool may_reply(std::uint64_t serial, const am_handler* handler) const noexcept {
    const bool may_reply = serial == serial_ && back_ != nullptr && serial != answered_;
    return may_reply && knows(handler);
  }
  [[gnu::cold]] am_status refuse_reply(std::uint64_t serial, const am_handler* handler) const;

  membership& in_;
  state state_ = state::open;
  std::vector<entry> handlers_;
  std::vector<arrivals> came_;     // by rank
  std::vector<std::byte> stored_;  // an answer, being put together
};

}  // namespace am::detail::core
