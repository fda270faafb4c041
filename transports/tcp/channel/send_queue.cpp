#include <transports/tcp/channel/send_queue.hpp>

#include <libam/wire/frame.hpp>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

namespace {
constexpr std::array<std::byte, std::size_t{16} * 1024> some_zeros{};
constexpr std::size_t compact_threshold = std::size_t{1} << 20;

iovec to_iovec(std::span<const std::byte> bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

// How many of the next `bytes` bytes are among the `sent` ones; subtracts them from `sent`.
std::size_t consume(std::size_t& sent, std::size_t bytes) noexcept {
  const std::size_t mine = std::min(sent, bytes);
  sent -= mine;
  return mine;
}
}  // namespace

// What one call sends: the next bytes of the stream, in order.
class send_queue::gather_list {
 public:
  // Bytes that find no room wait for the next call, as do all behind them.
  void add(std::span<const std::byte> bytes, bool foreign = false) noexcept {
    if (bytes.empty() || count_ == all_.size()) return;
    if (foreign) foreign_ |= foreign_parts{1} << count_;
    all_[count_++] = to_iovec(bytes);
  }
  [[nodiscard]] std::span<const iovec> all() const noexcept {
    return std::span(all_).first(count_);
  }
  [[nodiscard]] foreign_parts foreign() const noexcept { return foreign_; }

 private:
  std::array<iovec, most_parts> all_;
  std::size_t count_ = 0;
  foreign_parts foreign_ = 0;
};

// Sent bytes are dropped when they are many and more than those that stay, so that few are moved.
void send_queue::append_copy(std::span<const std::byte> frame) {
  if (sent_ > std::max(copied_bytes(), compact_threshold)) {
    copied_.erase(copied_.begin(), copied_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
  }
  copied_.insert(copied_.end(), frame.begin(), frame.end());
}

void send_queue::append_padding(std::size_t behind) {
  append_copy(std::span(some_zeros).first(wire::padding_before(wire::payload_step, behind)));
}

void send_queue::append_zero_copy(std::span<const std::byte> bulk) noexcept {
  assert(has_zero_copy_room());
  zero_copy_block& one = nth(zero_copy_count_++);
  one.before = copied_bytes() - copied_before_last_block_;
  one.bulk = bulk;
  one.zeros = wire::padding_before(wire::payload_step, bulk.size());
  copied_before_last_block_ = copied_bytes();
  zero_copy_bytes_ += one.bulk.size() + one.zeros;
  had_unmapped_ = false;
}

// A frame has announced the bytes: as many have to be sent.
void send_queue::replace_with_zeros() noexcept {
  zero_copy_block& one = nth(0);
  one.zeros += one.bulk.size();
  one.bulk = {};
  had_unmapped_ = true;
}

// A system that meets a byte which it cannot read may have sent nothing of what stands before it.
// So the blocks are sent one by one, until the first is known to be the one that cannot be read.
int send_queue::send(tcp_link& to, std::span<const std::byte> frame) {
  bool one_by_one = false;
  while (!empty() || !frame.empty() || to.has_unsent()) {
    const ssize_t sent = send_once(to, frame, one_by_one);
    if (sent >= 0) {
      one_by_one = false;
      remove_sent(static_cast<std::size_t>(sent), frame);
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EFAULT && has_zero_copy()) {
      if (one_by_one) replace_with_zeros();
      one_by_one = true;
      continue;
    }
    append_copy(frame);
    return is_temporary(error) ? 0 : error;
  }
  return 0;
}

ssize_t send_queue::send_once(tcp_link& to, std::span<const std::byte> frame,
                              bool first_block_only) noexcept {
  if (copied_bytes() == 0 && !has_zero_copy()) return to.send(std::array{to_iovec(frame)});
  gather_list all;
  collect(all, frame, first_block_only);
  return to.send(all.all(), all.foreign());
}

void send_queue::collect(gather_list& into, std::span<const std::byte> frame,
                         bool first_block_only) noexcept {
  std::span<const std::byte> rest = std::span(copied_).subspan(sent_);
  for (std::size_t i = 0; i < (first_block_only ? 1 : zero_copy_count_); ++i) {
    const zero_copy_block& one = nth(i);
    const std::size_t zeros = std::min(one.zeros, some_zeros.size());
    into.add(rest.first(one.before));
    into.add(one.bulk, true);
    into.add(std::span(some_zeros).first(zeros));
    if (zeros != one.zeros) return;
    rest = rest.subspan(one.before);
  }
  if (first_block_only) return;
  into.add(rest);
  into.add(frame);
}

void send_queue::remove_sent(std::size_t sent, std::span<const std::byte>& frame) noexcept {
  while (has_zero_copy()) {
    zero_copy_block& one = nth(0);
    const std::size_t before = consume(sent, one.before);
    sent_ += before;
    copied_before_last_block_ -= before;
    one.before -= before;
    const std::size_t bulk = consume(sent, one.bulk.size());
    const std::size_t zeros = consume(sent, one.zeros);
    one.bulk = one.bulk.subspan(bulk);
    one.zeros -= zeros;
    zero_copy_bytes_ -= bulk + zeros;
    if (one.before + one.bulk.size() + one.zeros != 0) return;
    first_ = (first_ + 1) % max_zero_copy_blocks;
    --zero_copy_count_;
  }
  sent_ += consume(sent, copied_bytes());
  frame = frame.subspan(sent);
  if (copied_bytes() != 0) return;
  copied_.clear();
  sent_ = 0;
}

}  // namespace am::detail::tcp
