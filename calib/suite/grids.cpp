#include <calib/suite/grids.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

opponent opponent_of(const ratio& of) { return {of.against.layer, of.against.variant}; }

}  // namespace

std::vector<unsigned> ranks_of(const result& from) {
  std::vector<unsigned> out;
  for (const entry& one : from.entries)
    if (std::ranges::find(out, one.ranks) == out.end()) out.push_back(one.ranks);
  std::ranges::sort(out);
  return out;
}

std::vector<opponent> opponents_of(const result& from, unsigned ranks) {
  std::vector<opponent> out;
  for (const ratio& one : from.ratios)
    if (one.entry.ranks == ranks && std::ranges::find(out, opponent_of(one)) == out.end())
      out.push_back(opponent_of(one));
  return out;
}

const ratio* find_ratio(const result& from, const entry& of, const opponent& against) {
  const auto found = std::ranges::find_if(from.ratios, [&](const ratio& one) {
    return one.entry == of && opponent_of(one) == against;
  });
  return found == from.ratios.end() ? nullptr : &*found;
}

grid ratio_grid(const result& from, unsigned ranks, bool colour) {
  const std::vector<opponent> columns = opponents_of(from, ranks);
  grid out(colour);
  std::vector<cell> titles;
  std::vector<cell> below;
  for (const opponent& one : columns) {
    titles.push_back(title(one.layer));
    below.push_back(title(one.shown_variant()));
  }
  out.add("", titles, true);
  out.add("", below);
  for (const entry& one : from.entries) {
    if (one.ranks != ranks) continue;
    std::vector<cell> cells;
    bool any = false;
    for (const opponent& column : columns) {
      const ratio* const found = find_ratio(from, one, column);
      any = any || found != nullptr;
      cells.push_back(found == nullptr ? cell{} : cell_of(found->value));
    }
    if (any) out.add(line_name(one), std::move(cells));
  }
  return out;
}

std::string title_of(unsigned ranks) {
  return format("The programs on {} rank{}", ranks, ranks == 1 ? "" : "s");
}

std::string summary_of(const result& from) {
  return format("Medians of {}{}. Results are checked.", rounds_text(from),
                median_ranks(from.rounds) ? ", and the interval that holds each with 95 %"
                                          : ": too few for an interval");
}

}  // namespace calib::suite
