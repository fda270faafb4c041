#include <libam/tools/am-info/folding.hpp>

#include <libam/base/format.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

namespace am::detail::info {
namespace {

rank_list with(rank_list some, am_rank one) {
  some.insert(std::ranges::lower_bound(some, one), one);
  return some;
}

rank_list without(rank_list some, am_rank one) {
  std::erase(some, one);
  return some;
}

// Reasons name the peer: without that, reasons of different peers can be equal.
void replace_rank_name(std::string& text, am_rank rank) {
  const std::string name = base::format("rank {}", rank);
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
    const std::size_t end = at + name.size();
    if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) continue;
    text.replace(at, name.size(), "that rank");
  }
}

contact without_names(contact how, am_rank to) {
  for (seam::attempt& one : how.tried) replace_rank_name(one.outcome, to);
  return how;
}

using peer_lists = std::map<am_rank, rank_list>;  // of each rank

rank_list ranks_with_peers(const rank_list& these, const peer_lists& of) {
  rank_list found;
  for (const auto& [rank, theirs] : of)
    if (theirs == without(these, rank)) found.push_back(rank);
  return found;
}

// A rank is no peer of its own, so ranks that all reach each other have different peers; with the
// rank itself added the sets are equal. The row with more ranks is taken.
void add_rows(std::vector<pair_row>& rows, peer_lists of, const contact& how) {
  while (!of.empty()) {
    const auto& [first, theirs] = *of.begin();
    pair_row among{{}, with(theirs, first), how};
    pair_row towards{{}, theirs, how};
    among.from = ranks_with_peers(among.to, of);
    towards.from = ranks_with_peers(towards.to, of);
    pair_row& row = among.from.size() > towards.from.size() ? among : towards;
    for (const am_rank rank : row.from) of.erase(rank);
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::string ranks_text(const rank_list& some) {
  std::string text;
  for (std::size_t i = 0, end = 0; i < some.size(); i = end) {
    for (end = i + 1; end < some.size() && some[end] == some[end - 1] + 1;) ++end;
    base::append(text, "{}{}", i == 0 ? "" : ",", some[i]);
    if (end - i > 1) base::append(text, "-{}", some[end - 1]);
  }
  return text;
}

std::vector<pair_row> fold_pairs(const std::vector<rank_report>& reports) {
  std::map<contact, peer_lists> kinds;
  std::map<contact, rank_list> themselves;
  for (am_rank from = 0; from < reports.size(); ++from) {
    const std::vector<contact>& contacts = reports[from].contacts;
    for (am_rank to = 0; to < contacts.size(); ++to) {
      const contact how = without_names(contacts[to], to);
      (from == to ? themselves[how] : kinds[how][from]).push_back(from == to ? from : to);
    }
  }
  std::vector<pair_row> rows;
  for (const auto& [how, of] : kinds) add_rows(rows, of, how);
  const auto order = [](const pair_row& row) { return std::tie(row.from.front(), row.to.front()); };
  std::ranges::sort(rows, {}, order);
  for (const auto& [how, of] : themselves) rows.push_back({of, {}, how});
  return rows;
}

std::vector<transport_row> fold_transports(const std::vector<rank_report>& reports) {
  std::vector<transport_row> rows;
  for (am_rank rank = 0; rank < reports.size(); ++rank)
    for (const seam::attempt& one : reports[rank].transports) {
      auto place = std::ranges::find(rows, one, &transport_row::transport);
      if (place == rows.end()) {
        // Beside the other rows of the same transport.
        const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](const transport_row& row) {
          return row.transport.name == one.name;
        });
        place = rows.insert(last == rows.rend() ? rows.end() : last.base(), {one, {}});
      }
      place->of.push_back(rank);
    }
  return rows;
}

}  // namespace am::detail::info
