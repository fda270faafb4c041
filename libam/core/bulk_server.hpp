// What this rank does for calls on bulk data of others that arrive in messages: stores and atomic
// operations at once (serve_messages.cpp); gets as it finds credits and room, in a transfer or
// piece by piece (serve_gets.cpp).
#pragma once

#include <libam/core/dispatcher.hpp>
#include <libam/core/nonblocking_sender.hpp>
#include <libam/core/release_memory.hpp>
#include <libam/core/segments.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <list>
#include <vector>

namespace am::detail::core {

// A get that this rank serves. Its addresses come from the other side and are not checked.
struct pending_get {
  am_rank to;
  am_word number;  // of the call at the requester
  seam::transfer transfer{};
  std::size_t sent = 0;
  bool under_way = false;    // in a transfer
  am_status failed = AM_OK;  // not AM_OK: reported in place of bytes
  bool warned = false;       // of a missing route

  // By a transfer. The requester may have the bytes already, and may request more.
  [[nodiscard]] bool is_served() const noexcept {
    return under_way && transfer.status == seam::transfer_status::done;
  }
};
// transfer::number of a transfer that serves a get: it is no call's, and its status is read here.
inline constexpr std::size_t served_transfer_number = ~std::size_t{0};

class bulk_server {
 public:
  bulk_server(dispatcher& dispatcher, peers& peers, nonblocking_sender& sender,
              segments& own_segments)
      : dispatcher_(dispatcher),
        peers_(peers),
        sender_(sender),
        segments_(own_segments),
        counts_(peers.ranks()),
        bad_pieces_(peers.ranks()) {}

  // ---- serve_messages.cpp ----
  void handle_piece(const am_word* words, const void* data, std::size_t bytes) noexcept;
  void handle_store(am_token token, const am_word* words, const void* data,
                    std::size_t bytes) noexcept;
  void handle_get(const am_word* words);
  void handle_atomic(am_token token, const am_word* words) noexcept;

  // ---- serve_gets.cpp: pending gets ----
  [[nodiscard]] bool has_pending() const noexcept { return count_ != 0; }
  // Some of them have not been tried in this round: no event follows.
  [[nodiscard]] bool can_serve() const noexcept;
  // Sends what it can without waiting: one piece for each get, round robin.
  void serve() noexcept;
  // Inside a transport's call.
  void on_transfer_end(const seam::transfer& one) noexcept;
  void drop_peer(am_rank rank) noexcept;
  // True: it was a "got" of this rank, whose address is not mapped there.
  bool handle_returned(const am_word* words) noexcept;

  void release_memory() noexcept {
    free_containers(pending_, in_transfer_, counts_, piece_, bad_pieces_);
    count_ = 0;
  }

 private:
  void write_piece(void* where, const void* data, std::size_t bytes) noexcept;
  pending_get& add(am_rank to, am_word number);
  void forget_one(am_rank to) noexcept {
    --counts_[to];
    --count_;
  }
  [[nodiscard]] std::size_t unserved(am_rank rank) const noexcept;
  void collect_ended_transfers() noexcept;
  bool serve_step(pending_get& get) noexcept;
  [[nodiscard]] bool may_stream(const pending_get& get) const noexcept;
  void begin_stream(pending_get& get) noexcept;
  // Its bytes are read: unpins them, if they were pinned.
  void unpin(pending_get& get) noexcept;
  bool finish_stream(pending_get& get) noexcept;
  bool send_next_piece(pending_get& get) noexcept;
  void defer(pending_get& get, am_status status) noexcept;

  dispatcher& dispatcher_;
  peers& peers_;
  nonblocking_sender& sender_;
  segments& segments_;
  std::list<pending_get> pending_;      // to be tried, round robin
  std::list<pending_get> in_transfer_;  // under way: transports keep their addresses
  bool has_ended_transfers_ = false;    // of these
  std::size_t count_ = 0;               // of both: every request reads it
  std::vector<std::size_t> counts_;     // by rank
  std::vector<std::byte> piece_;        // while it is composed
  std::vector<bool> bad_pieces_;  // by source: a piece of the store that arrives had a bad address
};

}  // namespace am::detail::core
