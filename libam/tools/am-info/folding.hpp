// Folds the table of all pairs for people: what is the same for many ranks is one row.
#pragma once

#include <libam/tools/am-info/rank_report.hpp>

#include <string>
#include <vector>

namespace am::detail::info {

using rank_list = std::vector<am_rank>;  // sorted, each once

// "0-3,7"
std::string ranks_text(const rank_list& some);

// All pairs of two different ranks of `from` and `to`; or, if `to` is empty, each of `from` and
// itself.
struct pair_row {
  rank_list from;
  rank_list to;
  contact how;  // with "that rank" in place of the peer's name
};
std::vector<pair_row> fold_pairs(const std::vector<rank_report>& reports);

// These ranks have the transport, or all lack it for the same reason.
struct transport_row {
  seam::attempt transport;
  rank_list of;
};
std::vector<transport_row> fold_transports(const std::vector<rank_report>& reports);

}  // namespace am::detail::info
