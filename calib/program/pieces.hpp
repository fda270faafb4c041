// Pieces of data as messages of any size, for LogGP: each piece starts with its number, and the
// receiver sums the numbers.
#pragma once

#include <calib/program/layer.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace calib {

// The source and the target of pieces: larger than a core's own cache.
inline constexpr std::size_t piece_memory_bytes = std::size_t{8} << 20;
inline constexpr std::size_t largest_piece = std::size_t{1} << 20;

// Contiguous places for pieces of one size, used in turn.
class piece_slots {
 public:
  void set(std::size_t bytes) {
    memory_.resize(piece_memory_bytes);
    bytes_ = bytes;
    next_ = 0;
  }
  std::byte* next() noexcept {
    std::byte* const at = memory_.data() + next_;
    next_ = next_ + 2 * bytes_ <= memory_.size() ? next_ + bytes_ : 0;
    return at;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t count() const noexcept { return piece_memory_bytes / bytes_; }

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

// The messages of a layer as a piece_mover (size_probe.hpp).
template <piece_layer Layer>
class sent_pieces {
 public:
  explicit sent_pieces(Layer& layer) : layer_(layer) {}

  [[nodiscard]] static std::string name() { return "medium"; }
  [[nodiscard]] static std::vector<std::size_t> sizes() {
    std::vector<std::size_t> out;
    for (std::size_t bytes = 64; bytes <= largest_piece; bytes *= 4) out.push_back(bytes);
    return out;
  }
  void set(std::size_t bytes) {
    from_.set(bytes);
    layer_.set_piece_bytes(bytes);
  }
  void move() {
    std::byte* const piece = from_.next();
    ++moved_;
    number_sum_ += moved_;
    std::memcpy(piece, &moved_, sizeof moved_);
    layer_.send_piece(piece);
  }
  void wait_for_all() { remote_number_sum_ = layer_.wait_for_pieces(); }
  [[nodiscard]] bool intact() const noexcept { return remote_number_sum_ == number_sum_; }

 private:
  Layer& layer_;
  piece_slots from_;
  std::uint64_t moved_ = 0;
  std::uint64_t number_sum_ = 0;
  std::uint64_t remote_number_sum_ = 0;
};

}  // namespace calib
