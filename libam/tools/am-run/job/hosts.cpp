#include <libam/tools/am-run/job/hosts.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace am::detail::run {
namespace {

constexpr am_rank most_slots = 4096;  // as many as -n takes

bool read_slots(std::string_view text, am_rank& slots) {
  return base::read_number(text, slots) && slots >= 1 && slots <= most_slots;
}

// Anything else could be an option or a word of the shell on the way to the host.
bool is_name(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@:%";
  return !name.empty() && name.front() != '-' &&
         name.find_first_not_of(allowed) == std::string_view::npos;
}

// "host", "host:slots", or an address of IPv6 in brackets and the same.
bool read_host(std::string_view text, host_slots& out) {
  const bool bracketed = text.starts_with('[');
  const auto name_end = bracketed ? text.find(']') : text.find(':');
  std::string_view rest;
  if (bracketed) {
    if (name_end == std::string_view::npos) return false;
    rest = text.substr(name_end + 1);
    out.name = text.substr(1, name_end - 1);
  } else {
    if (name_end != std::string_view::npos) rest = text.substr(name_end);
    out.name = text.substr(0, name_end);
  }
  out.slots = 1;
  return is_name(out.name) &&
         (rest.empty() || (rest.front() == ':' && read_slots(rest.substr(1), out.slots)));
}

bool is_own_name(const std::string& name) {
  const std::string own = own_host_name();
  return name == "localhost" || name == own || name == own.substr(0, own.find('.'));
}

}  // namespace

std::string own_host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

bool read_hosts(std::string_view text, std::vector<host_slots>& out, std::string& problem) {
  return base::all_items(text, [&](std::string_view item) {
    if (read_host(item, out.emplace_back())) return true;
    problem = base::format("'{}' is no host: a name, or a name and 1 to {} slots (a:4)",
                           base::abbreviate(item), most_slots);
    return false;
  });
}

bool read_host_file(const std::string& path, std::vector<host_slots>& out, std::string& problem) {
  std::ifstream file(path);
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    std::string slots;
    std::string more;
    if (!(words >> host)) continue;
    words >> slots >> more;
    constexpr std::string_view key = "slots=";
    host_slots& read = out.emplace_back();
    if (read_host(host, read) && more.empty() &&
        (slots.empty() ||
         (slots.starts_with(key) && read_slots(slots.substr(key.size()), read.slots))))
      continue;
    problem = base::format("{}, line {}: '{}' is no host: a, a:4 or a slots=4", path, number,
                           base::abbreviate(line));
    return false;
  }
  if (file.bad() || (!file.eof() && file.fail())) {
    problem = base::format("cannot read {}: {}", path, base::errno_text(errno));
  } else if (out.empty()) {
    problem = base::format("{} has no host", path);
  }
  return problem.empty();
}

namespace {

// Each host once; this one by its own name.
std::vector<host_slots> add_up(const std::vector<host_slots>& hosts) {
  std::vector<host_slots> all;
  for (const auto& [name, slots] : hosts) {
    const std::string known = is_own_name(name) ? own_host_name() : name;
    const auto same = std::ranges::find(all, known, &host_slots::name);
    if (same != all.end()) {
      same->slots += slots;
    } else {
      all.push_back({known, slots});
    }
  }
  return all;
}

// More ranks than slots are distributed in rounds over all slots.
void give_slots(std::vector<host_slots>& hosts, am_rank slots, am_rank ranks) {
  const am_rank rounds = ranks / slots;
  am_rank left = ranks % slots;
  for (host_slots& each : hosts) {
    const am_rank more = std::min(each.slots, left);
    left -= more;
    each.slots = each.slots * rounds + more;
  }
}

// The ranks of each host. All together have at least as many slots.
std::vector<std::vector<am_rank>> distribute(const std::vector<host_slots>& hosts,
                                             rank_mapping mapping, am_rank ranks) {
  std::vector<std::vector<am_rank>> members(hosts.size());
  am_rank next = 0;
  while (next < ranks) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const am_rank turn = mapping == rank_mapping::by_slot ? hosts[i].slots : 1;
      for (am_rank k = 0; k < turn && next < ranks && members[i].size() < hosts[i].slots; ++k)
        members[i].push_back(next++);
    }
  }
  return members;
}

}  // namespace

bool place_ranks(const std::vector<host_slots>& hosts, rank_mapping mapping, am_rank& ranks,
                 std::vector<placed_host>& out, std::string& problem) {
  std::vector<host_slots> all = add_up(hosts);
  am_rank slots = 0;
  for (const host_slots& each : all) slots += each.slots;
  if (ranks == 0) ranks = slots;
  if (ranks > most_slots) {
    problem = base::format("{} ranks: at most {} are possible", ranks, most_slots);
    return false;
  }
  if (ranks > slots) give_slots(all, slots, ranks);
  const auto members = distribute(all, mapping, ranks);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!members[i].empty())
      out.push_back({all[i].name, is_own_name(all[i].name), rank_set(members[i], ranks)});
  return true;
}

std::vector<host_group> groups_of(host_group hosts) {
  const auto remote =
      static_cast<std::size_t>(std::ranges::count(hosts, false, &placed_host::is_local));
  const std::size_t size = (remote + fan_out - 1) / fan_out;
  std::vector<host_group> groups;
  for (std::size_t first = 0; first < hosts.size();) {
    std::size_t count = 1;
    while (!hosts[first].is_local && count < size && first + count < hosts.size() &&
           !hosts[first + count].is_local)
      ++count;
    groups.push_back(hosts.subspan(first, count));
    first += count;
  }
  return groups;
}

}  // namespace am::detail::run
