// libam's bulk data: stores into a segment of the other rank and gets out of it. Rank 0 plays; the
// other only runs handlers.
#pragma once

#include <calib/layers/am_handlers.hpp>
#include <calib/program/script.hpp>

namespace calib {

// When rank 0 lets handlers run while it gets: after all gets, or after each.
enum class polls { at_the_end, after_each };

template <polls When>
class am_bulk {
 public:
  am_bulk(am::endpoint& ep, ledger& here, const am::segment& all, cargo& mine)
      : ep_(ep), here_(here), mine_(mine), theirs_(static_cast<std::byte*>(all.address_at(1))) {}

  // A request runs before the handlers of the stores that follow it.
  void set(const bulk& what) {
    what_ = here_.pieces.what = what;
    ep_.request<told_what_comes>(1, what.bytes, am::word{what.touched});
  }
  cargo& memory() { return mine_; }

  void store(std::uint64_t n) {
    ep_.store<stored>(1, theirs_ + n * what_.bytes, {mine_.piece(what_, n), what_.bytes});
  }
  std::uint64_t settle_stores() { return settle(); }

  void get(std::uint64_t n) {
    ep_.get<got>(1, theirs_ + n * what_.bytes, {mine_.piece(what_, n), what_.bytes});
    if constexpr (When == polls::after_each) ep_.poll();
  }
  std::uint64_t settle_gets() { return settle(); }

 private:
  std::uint64_t settle() {
    ep_.wait([this] { return here_.pieces.ended; });
    here_.pieces.ended = false;
    return here_.pieces.tallies;
  }

  am::endpoint& ep_;
  ledger& here_;
  cargo& mine_;
  std::byte* theirs_;
  bulk what_{};
};

// The whole script, at rank 0.
inline void measure_bulk(am::endpoint& ep, ledger& here, const am::segment& all, script& play) {
  cargo mine(all.size());
  am_bulk<polls::at_the_end> plain(ep, here, all, mine);
  am_bulk<polls::after_each> eager(ep, here, all, mine);
  play.get_bulk(plain, "default");
  play.get_bulk(eager, "poll-after-each");
  play.store_bulk(plain, "default");
}

}  // namespace calib
