#include <libam/tools/am-run/remote/host_frames.hpp>

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
    pack_one(to, each.block.first);
    pack_one(to, each.block.count);
    pack_one(to, each.block.ranks);
  }
}

bool unpack_one(seam::cursor& at, std::vector<placed_host>& into) {
  const auto count = at.number();
  if (!count) return false;
  into.clear();
  for (std::uint32_t i = 0; i < *count; ++i) {
    placed_host& read = into.emplace_back();
    rank_block& block = read.block;
    read.is_local = false;
    if (!unpack_one(at, read.name) || !unpack_one(at, block.first) ||
        !unpack_one(at, block.count) || !unpack_one(at, block.ranks))
      return false;
  }
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
                         std::string_view(order.prefix), std::string_view(order.bind),
                         std::string_view(order.folder), std::string_view(order.search_path),
                         order.command, order.environment);
}

namespace {

// All in one job, and each with the ranks that follow those of the one before.
bool are_consecutive(const std::vector<placed_host>& hosts) {
  if (hosts.empty()) return false;
  const rank_block& first = hosts.front().block;
  if (first.ranks > boot::most_ranks) return false;
  am_rank next = first.first;
  for (const auto& [name, is_local, block] : hosts) {
    if (name.empty() || block.first != next || block.ranks != first.ranks || block.count == 0 ||
        next >= block.ranks || block.count > block.ranks - next)
      return false;
    next = block.end();
  }
  return true;
}

}  // namespace

bool read_start(seam::bytes_view body, start_order& order) {
  return unpack(body, order.hosts, order.rsh, order.prefix, order.bind, order.folder,
                order.search_path, order.command, order.environment) &&
         are_consecutive(order.hosts) && !order.command.empty();
}

}  // namespace am::detail::run
