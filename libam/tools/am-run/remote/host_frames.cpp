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

std::string make_start(const start_order& order) {
  return make_host_frame(host_frame::start, order.block.first, order.block.count, order.block.ranks,
                         std::string_view(order.bind), std::string_view(order.folder),
                         std::string_view(order.search_path), order.command, order.environment);
}

bool read_start(seam::bytes_view body, start_order& order) {
  const rank_block& block = order.block;
  return unpack(body, order.block.first, order.block.count, order.block.ranks, order.bind,
                order.folder, order.search_path, order.command, order.environment) &&
         block.ranks <= boot::most_ranks && block.count >= 1 && block.first < block.ranks &&
         block.count <= block.ranks - block.first && !order.command.empty();
}

}  // namespace am::detail::run
