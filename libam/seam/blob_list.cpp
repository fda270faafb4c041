#include <libam/seam/blob_list.hpp>

namespace am::detail::seam {

std::optional<blob_list::place> blob_list::place_of(std::string_view key) const noexcept {
  cursor at(encoded_);
  while (const auto one = read_blob(at)) {
    if (one->key != key) continue;
    const std::size_t end = encoded_.size() - at.rest().size();
    const auto begin = reinterpret_cast<const std::byte*>(one->key.data()) - encoded_.data();
    return place{static_cast<std::size_t>(begin) - blob_head_bytes, end, one->blob};
  }
  return std::nullopt;
}

bool blob_list::add(bytes_view body) {
  if (encoded_.empty()) encoded_.reserve(body.size());  // mostly nothing is added later
  cursor at(body);
  while (!at.empty()) {
    const bytes_view before = at.rest();
    const auto one = read_blob(at);
    if (!one) return false;
    if (const auto old = place_of(one->key))
      encoded_.erase(encoded_.begin() + static_cast<std::ptrdiff_t>(old->begin),
                     encoded_.begin() + static_cast<std::ptrdiff_t>(old->end));
    const bytes_view added = before.first(before.size() - at.rest().size());
    encoded_.insert(encoded_.end(), added.begin(), added.end());
  }
  return true;
}

std::optional<bytes_view> blob_list::find(std::string_view key) const noexcept {
  const auto found = place_of(key);
  return found ? std::optional(found->blob) : std::nullopt;
}

}  // namespace am::detail::seam
