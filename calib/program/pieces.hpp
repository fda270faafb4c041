// Pieces of data as messages of any size, for LogGP: each has its number in front, and what arrives
// is added up there.
#pragma once

#include <calib/program/layer.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace calib {

// More than stays in a core's own cache: where pieces come from, and where they are put.
inline constexpr std::size_t pieces_room = std::size_t{8} << 20;
inline constexpr std::size_t largest_piece = std::size_t{1} << 20;

// Places for pieces of one size, one behind the other and round again.
class places {
 public:
  void set(std::size_t bytes) {
    memory_.resize(pieces_room);
    bytes_ = bytes;
    next_ = 0;
  }
  std::byte* next() noexcept {
    std::byte* const at = memory_.data() + next_;
    next_ = next_ + 2 * bytes_ <= memory_.size() ? next_ + bytes_ : 0;
    return at;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // So many may be in use at once.
  [[nodiscard]] std::size_t count() const noexcept { return pieces_room / bytes_; }

 private:
  std::vector<std::byte> memory_;
  std::size_t bytes_ = 0;
  std::size_t next_ = 0;
};

inline std::uint64_t number_of(const void* piece) noexcept {
  std::uint64_t number = 0;
  std::memcpy(&number, piece, sizeof number);
  return number;
}

// What program/sizes.hpp moves.
template <ships Layer>
class shipped_pieces {
 public:
  explicit shipped_pieces(Layer& layer) : layer_(layer) {}

  [[nodiscard]] static std::string name() { return "medium"; }
  // Four times as large each.
  [[nodiscard]] static std::vector<std::size_t> sizes() {
    std::vector<std::size_t> out;
    for (std::size_t bytes = 64; bytes <= largest_piece; bytes *= 4) out.push_back(bytes);
    return out;
  }
  void set(std::size_t bytes) {
    from_.set(bytes);
    layer_.prepare(bytes);
  }
  void move() {
    std::byte* const piece = from_.next();
    ++moved_;
    numbers_ += moved_;
    std::memcpy(piece, &moved_, sizeof moved_);
    layer_.ship(piece);
  }
  void settle() { numbers_there_ = layer_.settle_shipped(); }
  [[nodiscard]] bool intact() const noexcept { return numbers_there_ == numbers_; }

 private:
  Layer& layer_;
  places from_;
  std::uint64_t moved_ = 0;
  std::uint64_t numbers_ = 0;
  std::uint64_t numbers_there_ = 0;
};

}  // namespace calib
