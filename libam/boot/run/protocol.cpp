// Encodes and decodes frames.
#include <libam/boot/run/protocol.hpp>

namespace am::detail::boot {
namespace {

constexpr std::size_t header_bytes = 2 * sizeof(std::uint32_t);

}  // namespace

std::string make_frame(frame_kind kind, std::string_view body) {
  std::string out;
  out.reserve(header_bytes + body.size());
  seam::add_number(out, static_cast<std::uint32_t>(body.size()));
  seam::add_number(out, static_cast<std::uint32_t>(kind));
  out.append(body);
  return out;
}

void frame_reader::feed(seam::bytes_view piece) {
  if (broken_) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  buffer_.insert(buffer_.end(), piece.begin(), piece.end());
}

std::optional<frame> frame_reader::next() {
  if (broken_) return std::nullopt;
  seam::cursor at(seam::bytes_view(buffer_).subspan(taken_));
  const auto bytes = at.number();
  const auto kind = at.number();
  if (!bytes || !kind) return std::nullopt;
  if (*bytes > most_body_) {
    broken_ = true;
    return std::nullopt;
  }
  const auto body = at.bytes(*bytes);
  if (!body) return std::nullopt;
  taken_ += header_bytes + *bytes;
  return frame{static_cast<frame_kind>(*kind), *body};
}

}  // namespace am::detail::boot
