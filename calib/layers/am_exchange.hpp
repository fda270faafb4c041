// libam's part in the exchange that LogGP is held against: pieces of all kinds between two ranks.
#pragma once

#include <calib/layers/am_pieces.hpp>
#include <calib/program/exchange.hpp>

namespace calib {

class am_exchange {
 public:
  am_exchange(am::endpoint& ep, ledger& here, const am::segment& all, am::rank_id peer)
      : stores_(operation::store, ep, here, all, peer, {0, half}),
        gets_(operation::get, ep, here, all, peer, {half, half}),
        mediums_(operation::medium, ep, here, all, peer, {0, half}) {}

  void move(const exchanged& piece) {
    am_pieces& by = piece.what == operation::store ? stores_
                    : piece.what == operation::get ? gets_
                                                   : mediums_;
    by.resize(piece.bytes);
    by.move();
  }

  // What answers the last of those that were sent is behind all of them.
  void settle() {
    gets_.settle();
    mediums_.settle();
  }

  [[nodiscard]] bool intact() const {
    return gets_.intact() && stores_.numbers() + mediums_.numbers() == mediums_.numbers_there();
  }

 private:
  // Stores change what would be got, so these have a half of the memory each.
  static constexpr std::size_t half = am_pieces::room / 2;

  am_pieces stores_, gets_, mediums_;
};

}  // namespace calib
