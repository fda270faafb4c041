// How this process joins, and which transport serves which pair, for people.
#include <libam/base/format.hpp>
#include <libam/tools/am-info/folding.hpp>
#include <libam/tools/am-info/report.hpp>

#include <algorithm>
#include <array>

namespace am::detail::info {
namespace {

constexpr std::size_t columns = 4;
using cells = std::array<std::string, columns>;

// Columns are as wide as their widest cell, except the last one.
std::string table(const std::vector<cells>& rows) {
  std::array<std::size_t, columns> width{};
  for (const cells& row : rows)
    for (std::size_t i = 0; i + 1 < columns; ++i) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) base::append(line, "{:<{}}  ", row[i], width[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string route_text(const contact& how) {
  if (how.transport.empty()) return "nothing";
  return how.about.empty() ? how.transport : base::format("{} ({})", how.transport, how.about);
}

}  // namespace

std::string joining_text(const join_report& how) {
  std::string text = "in the environment\n";
  for (const consulted_variable& one : how.environment)
    base::append(text, "  {:<22} {}\n", one.name, one.value.value_or("is not set"));
  text += "tried, to join a job\n";
  for (const seam::attempt& one : how.tried)
    base::append(text, "  {:<22} {}\n", one.name,
                 one.outcome.empty() ? base::format("joined, as rank {} of {}", how.rank, how.ranks)
                                     : one.outcome);
  base::append(text, "when a rank dies\n  {}\n", how.on_death);
  return text;
}

std::string survey_text(const survey& all) {
  std::vector<cells> transports{{"transport", "ranks", "", ""}};
  for (const transport_row& row : fold_transports(all.ranks))
    transports.push_back(
        {row.transport.name, ranks_text(row.of),
         row.transport.outcome.empty() ? "can be used" : "no: " + row.transport.outcome, ""});
  std::vector<cells> pairs{{"from", "to", "by", "tried before"}};
  for (const pair_row& row : fold_pairs(all.ranks)) {
    pairs.push_back({ranks_text(row.from), row.to.empty() ? "itself" : ranks_text(row.to),
                     route_text(row.how), ""});
    // Each attempt has a line, the first one the pair's own.
    for (const seam::attempt& one : row.how.tried) {
      if (!pairs.back()[3].empty()) pairs.push_back({});
      pairs.back()[3] = base::format("{}: {}", one.name, one.outcome);
    }
  }
  std::string text = table(transports) + "\n" + table(pairs);
  for (std::size_t rank = 0; rank < all.ranks.size(); ++rank)
    if (all.ranks[rank].contacts.empty())
      base::append(text, "rank {} has reported nothing: it has died\n", rank);
  return text;
}

}  // namespace am::detail::info
