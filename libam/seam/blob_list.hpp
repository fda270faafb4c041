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
  // sequence of blobs and nothing else, and the blobs before the fault have been added.
  bool add(bytes_view body);
  // Nothing if there is no such key. Valid until the next add().
  [[nodiscard]] std::optional<bytes_view> find(std::string_view key) const noexcept;

 private:
  struct place {
    std::size_t begin;  // of the key and blob with their sizes
    std::size_t end;
    bytes_view blob;
  };
  [[nodiscard]] std::optional<place> place_of(std::string_view key) const noexcept;

  std::vector<std::byte> encoded_;
};

}  // namespace am::detail::seam
