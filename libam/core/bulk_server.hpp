// What this rank does for calls on bulk data that others made and that come in messages: stores and
// atomic operations at once (serve.cpp); the bytes of gets as it finds credits and room, in a
// transfer or piece by piece (answer.cpp).
#pragma once

#include <libam/core/dispatcher.hpp>
#include <libam/core/give_back.hpp>
#include <libam/core/segments.hpp>
#include <libam/core/sender.hpp>
#include <libam/seam/transfer.hpp>

#include <cstddef>
#include <list>
#include <vector>

namespace am::detail::core {

// A get that this rank answers. What the other side has said of addresses nobody has looked at.
struct owed_bytes {
  am_rank to;
  am_word number;  // of the one that waits there
  seam::transfer all{};
  std::size_t sent = 0;
  bool under_way = false;    // in a transfer
  am_status failed = AM_OK;  // what is told instead
  bool told = false;         // that there is no way to it

  // By a transfer; the caller may know that already, and ask for more.
  [[nodiscard]] bool is_paid() const noexcept { return under_way && all.at == seam::reach::done; }
};
// The number of such transfers: core looks how they stand.
inline constexpr std::size_t of_an_answer = ~std::size_t{0};

class bulk_server {
 public:
  bulk_server(dispatcher& messages, peers& to, sender& by, segments& own)
      : dispatcher_(messages),
        peers_(to),
        sender_(by),
        segments_(own),
        counts_(to.ranks()),
        bad_pieces_(to.ranks()) {}

  // ---- serve.cpp: what has come ----
  void take_piece(const am_word* words, const void* data, std::size_t bytes) noexcept;
  void take_store(am_token token, const am_word* words, const void* data,
                  std::size_t bytes) noexcept;
  void take_get(const am_word* words);
  void do_atomic(am_token token, const am_word* words) noexcept;

  // ---- answer.cpp: what this rank owes ----
  [[nodiscard]] bool owes() const noexcept { return count_ != 0; }
  // Some of it has not been tried in this round: no sign follows.
  [[nodiscard]] bool can_pay() const noexcept;
  // What can be sent without waiting: one piece for each get in turn.
  void pay() noexcept;
  // Inside a transport's call.
  void transferred(const seam::transfer& one) noexcept;
  void forget(am_rank rank) noexcept;
  // True: it was an answer of this rank, for which nothing is mapped there.
  bool take_back(const am_word* words) noexcept;

  void give_back_memory() noexcept {
    give_back_room(owed_, leaving_, counts_, piece_, bad_pieces_);
    count_ = 0;
  }

 private:
  void place(void* where, const void* data, std::size_t bytes) noexcept;
  owed_bytes& add(am_rank to, am_word number);
  void count_as_paid(am_rank to) noexcept {
    --counts_[to];
    --count_;
  }
  [[nodiscard]] std::size_t unpaid(am_rank rank) const noexcept;
  void take_ended() noexcept;
  bool pay_a_part(owed_bytes& debt) noexcept;
  [[nodiscard]] bool may_stream(const owed_bytes& debt) const noexcept;
  void begin_answer(owed_bytes& debt) noexcept;
  // Its bytes are read, if they were lent.
  void end_loan(owed_bytes& debt) noexcept;
  bool settle(owed_bytes& debt) noexcept;
  bool pay_one_piece(owed_bytes& debt) noexcept;
  void put_off(owed_bytes& debt, am_status status) noexcept;

  dispatcher& dispatcher_;
  peers& peers_;
  sender& sender_;
  segments& segments_;
  std::list<owed_bytes> owed_;       // to be tried, in turn
  std::list<owed_bytes> leaving_;    // under way: where they are transports know
  bool some_ended_ = false;          // of these
  std::size_t count_ = 0;            // of both: every request asks for it
  std::vector<std::size_t> counts_;  // by rank
  std::vector<std::byte> piece_;     // being put together
  std::vector<bool> bad_pieces_;     // by source: a piece of the store that comes in had no place
};

}  // namespace am::detail::core
