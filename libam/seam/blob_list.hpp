// The blobs of one rank by key, in the encoding in which they travel (blobs.hpp): a rank of a large
// job keeps those of all others, so each takes little more than its bytes.
#pragma once

#include <libam/seam/blobs.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace am::detail::seam {

class blob_list {
 public:
  // Adds the blobs of `body`; one whose key is there already is replaced. False: `body` is not a
  // sequence of blobs and nothing else, and nothing has been added.
  bool add(bytes_view body);
  // Nothing if there is no such key. Valid until the next add().
  [[nodiscard]] std::optional<bytes_view> find(std::string_view key) const noexcept;

 private:
  static constexpr std::size_t small = 4096;
  void remove_replaced();

  // Of several blobs with one key the last counts.
  std::vector<std::byte> encoded_;
  std::size_t most_bytes_ = small;  // then those that have been replaced are removed
};

}  // namespace am::detail::seam
