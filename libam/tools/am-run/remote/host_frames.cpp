#include <libam/tools/am-run/remote/host_frames.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::run {

void pack_one(std::string& to, const std::vector<std::string>& values) {
  pack_one(to, static_cast<std::uint32_t>(values.size()));
  for (const std::string& each : values) pack_one(to, std::string_view(each));
}

bool unpack_one(seam::cursor& at, std::uint32_t& into) {
  const auto value = at.number();
  into = value.value_or(0);
  return value.has_value();
}

bool unpack_one(seam::cursor& at, std::uint64_t& into) {
  const auto value = at.long_number();
  into = value.value_or(0);
  return value.has_value();
}

bool unpack_one(seam::cursor& at, std::string& into) {
  const auto count = at.number();
  const auto bytes = count ? at.bytes(*count) : std::nullopt;
  if (!bytes) return false;
  into.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return true;
}

bool unpack_one(seam::cursor& at, std::vector<std::string>& into) {
  const auto count = at.number();
  if (!count) return false;
  into.clear();
  for (std::uint32_t i = 0; i < *count; ++i)
    if (!unpack_one(at, into.emplace_back())) return false;
  return true;
}

void pack_one(std::string& to, const std::vector<placed_host>& values) {
  pack_one(to, static_cast<std::uint32_t>(values.size()));
  for (const placed_host& each : values) {
    pack_one(to, std::string_view(each.name));
    pack_one(to, each.ranks);
  }
}

bool unpack_one(seam::cursor& at, std::vector<placed_host>& into) {
  const auto count = at.number();
  if (!count) return false;
  into.clear();
  for (std::uint32_t i = 0; i < *count; ++i) {
    placed_host& read = into.emplace_back();
    if (!unpack_one(at, read.name) || !unpack_one(at, read.ranks)) return false;
  }
  return true;
}

void pack_one(std::string& to, const rank_set& value) {
  pack_one(to, value.job_size());
  pack_one(to, value.size());
  for (const am_rank rank : value) pack_one(to, rank);
}

// There is at least one, and all are in the job.
bool unpack_one(seam::cursor& at, rank_set& into) {
  const auto job_size = at.number();
  const auto count = at.number();
  if (!job_size || *job_size > boot::most_ranks || !count || *count == 0) return false;
  std::vector<am_rank> members;
  for (am_rank i = 0; i < *count; ++i) {
    const auto rank = at.number();
    if (!rank || *rank >= *job_size || (i != 0 && *rank <= members.back())) return false;
    members.push_back(*rank);
  }
  into = rank_set(std::move(members), *job_size);
  return true;
}

std::string make_host_frame_head(host_frame kind, std::uint32_t value, std::size_t tail) {
  std::string head;
  pack_one(head, static_cast<std::uint32_t>(2 * sizeof(std::uint32_t) + tail));
  pack_one(head, static_cast<std::uint32_t>(kind));
  pack_one(head, value);
  pack_one(head, static_cast<std::uint32_t>(tail));
  return head;
}

std::string make_start(const start_order& order) {
  return make_host_frame(host_frame::start, order.hosts, std::string_view(order.rsh),
                         std::string_view(order.prefix), std::string_view(order.bind), order.check,
                         std::string_view(order.folder), std::string_view(order.search_path),
                         order.command, order.environment);
}

namespace {

// All in one job, and no rank on two of them.
bool fit_together(const std::vector<placed_host>& hosts) {
  std::vector<am_rank> all;
  for (const auto& [name, is_local, ranks] : hosts) {
    if (name.empty() || ranks.job_size() != hosts.front().ranks.job_size()) return false;
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
  std::ranges::sort(all);
  return !all.empty() && std::ranges::adjacent_find(all) == all.end();
}

}  // namespace

bool read_start(seam::bytes_view body, start_order& order) {
  return unpack(body, order.hosts, order.rsh, order.prefix, order.bind, order.check, order.folder,
                order.search_path, order.command, order.environment) &&
         fit_together(order.hosts) && !order.command.empty();
}

}  // namespace am::detail::run
