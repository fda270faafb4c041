#include <libam/seam/blob_list.hpp>

#include <algorithm>
#include <map>

namespace am::detail::seam {

// A neighbour decides how many blobs there are: nothing here may look at all others for each.
bool blob_list::add(bytes_view body) {
  if (!are_blobs(body)) return false;
  if (encoded_.empty()) encoded_.reserve(body.size());  // mostly nothing is added later
  encoded_.insert(encoded_.end(), body.begin(), body.end());
  if (encoded_.size() > most_bytes_) remove_replaced();
  return true;
}

void blob_list::remove_replaced() {
  std::map<std::string_view, bytes_view> last;
  cursor at(encoded_);
  while (const auto one = read_blob(at)) last[one->key] = one->blob;
  std::string kept;
  for (const auto& [key, blob] : last) add_blob(kept, key, blob);
  const bytes_view bytes = as_bytes(kept);
  encoded_.assign(bytes.begin(), bytes.end());
  most_bytes_ = std::max(small, 2 * encoded_.size());
}

std::optional<bytes_view> blob_list::find(std::string_view key) const noexcept {
  std::optional<bytes_view> found;
  cursor at(encoded_);
  while (const auto one = read_blob(at))
    if (one->key == key) found = one->blob;
  return found;
}

}  // namespace am::detail::seam
