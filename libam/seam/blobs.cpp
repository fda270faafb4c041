#include <libam/seam/blobs.hpp>

#include <libam/wire/little_endian.hpp>

namespace am::detail::seam {
namespace {

std::string_view as_text(bytes_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void add_number(std::string& to, std::uint32_t number) {
  std::byte raw[sizeof number];
  wire::write_number(raw, number);
  to.append(as_text(raw));
}

void add_long(std::string& to, std::uint64_t number) {
  add_number(to, static_cast<std::uint32_t>(number));
  add_number(to, static_cast<std::uint32_t>(number >> 32));
}

void add_blob(std::string& to, std::string_view key, bytes_view blob) {
  add_number(to, static_cast<std::uint32_t>(key.size()));
  add_number(to, static_cast<std::uint32_t>(blob.size()));
  to.append(key);
  to.append(as_text(blob));
}

std::optional<std::uint32_t> cursor::number() noexcept {
  const auto raw = bytes(sizeof(std::uint32_t));
  if (!raw) return std::nullopt;
  return wire::read_number<std::uint32_t>(raw->data());
}

std::optional<std::uint64_t> cursor::long_number() noexcept {
  const auto low = number();
  const auto high = number();
  if (!low || !high) return std::nullopt;
  return std::uint64_t{*high} << 32 | *low;
}

std::optional<bytes_view> cursor::bytes(std::size_t count) noexcept {
  if (count > rest_.size()) return std::nullopt;
  const bytes_view taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::optional<blob_view> read_blob(cursor& at) noexcept {
  const auto key_bytes = at.number();
  const auto blob_bytes = at.number();
  if (!key_bytes || !blob_bytes || *key_bytes > most_key_bytes) return std::nullopt;
  const auto key = at.bytes(*key_bytes);
  const auto blob = at.bytes(*blob_bytes);
  if (!key || !blob) return std::nullopt;
  return blob_view{as_text(*key), *blob};
}

bool are_blobs(bytes_view body) noexcept {
  for (cursor at(body); !at.empty();)
    if (!read_blob(at)) return false;
  return true;
}

}  // namespace am::detail::seam
