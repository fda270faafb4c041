#include <libam/wire/frame.hpp>
#include <transports/tcp/output.hpp>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

namespace am::detail::tcp {

namespace {
constexpr std::array<std::byte, std::size_t{16} * 1024> some_zeros{};
constexpr std::size_t most_gone = std::size_t{1} << 20;

iovec part(std::span<const std::byte> bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

// How many of `bytes` are the next of `sent`; those are taken off it.
std::size_t share(std::size_t& sent, std::size_t bytes) noexcept {
  const std::size_t mine = std::min(sent, bytes);
  sent -= mine;
  return mine;
}

bool passes(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM;
}
}  // namespace

// What one call sends: the next bytes of the stream, in order.
class output::parts {
 public:
  // What finds no room waits for the next call, as does all behind it.
  void add(std::span<const std::byte> bytes, bool foreign = false) noexcept {
    if (bytes.empty() || count_ == all_.size()) return;
    if (foreign) foreign_ |= foreign_parts{1} << count_;
    all_[count_++] = part(bytes);
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

// What has gone is dropped when it is much and more than what stays, so that little is moved.
void output::keep(std::span<const std::byte> frame) {
  if (gone_ > std::max(kept(), most_gone)) {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }
  kept_.insert(kept_.end(), frame.begin(), frame.end());
}

void output::fill_up(std::size_t behind) {
  keep(std::span(some_zeros).first(wire::gap_before(wire::payload_step, behind)));
}

void output::borrow(std::span<const std::byte> bulk) noexcept {
  assert(may_borrow());
  loan& one = nth(loans_++);
  one.before = kept() - before_loans_;
  one.bulk = bulk;
  one.zeros = wire::gap_before(wire::payload_step, bulk.size());
  before_loans_ = kept();
  borrowed_ += one.bulk.size() + one.zeros;
  torn_ = false;
}

// The bytes were promised: so many have to go.
void output::tear() noexcept {
  loan& one = nth(0);
  one.zeros += one.bulk.size();
  one.bulk = {};
  torn_ = true;
}

// A system that meets a byte which it cannot read may have sent nothing of what stands before it.
// So the loans go one by one, until the first of them is known to be the one.
int output::send(line& to, std::span<const std::byte> frame) {
  bool one_by_one = false;
  while (!empty() || !frame.empty() || to.holds()) {
    const ssize_t sent = send_once(to, frame, one_by_one);
    if (sent >= 0) {
      one_by_one = false;
      forget(static_cast<std::size_t>(sent), frame);
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EFAULT && borrows()) {
      if (one_by_one) tear();
      one_by_one = true;
      continue;
    }
    keep(frame);
    return passes(error) ? 0 : error;
  }
  return 0;
}

ssize_t output::send_once(line& to, std::span<const std::byte> frame, bool one_loan) noexcept {
  if (kept() == 0 && !borrows()) return to.send(std::array{part(frame)});
  parts all;
  collect(all, frame, one_loan);
  return to.send(all.all(), all.foreign());
}

void output::collect(parts& into, std::span<const std::byte> frame, bool one_loan) noexcept {
  std::span<const std::byte> rest = std::span(kept_).subspan(gone_);
  for (std::size_t i = 0; i < (one_loan ? 1 : loans_); ++i) {
    const loan& one = nth(i);
    const std::size_t zeros = std::min(one.zeros, some_zeros.size());
    into.add(rest.first(one.before));
    into.add(one.bulk, true);
    into.add(std::span(some_zeros).first(zeros));
    if (zeros != one.zeros) return;
    rest = rest.subspan(one.before);
  }
  if (one_loan) return;
  into.add(rest);
  into.add(frame);
}

void output::forget(std::size_t sent, std::span<const std::byte>& frame) noexcept {
  while (borrows()) {
    loan& one = nth(0);
    const std::size_t before = share(sent, one.before);
    gone_ += before;
    before_loans_ -= before;
    one.before -= before;
    const std::size_t bulk = share(sent, one.bulk.size());
    const std::size_t zeros = share(sent, one.zeros);
    one.bulk = one.bulk.subspan(bulk);
    one.zeros -= zeros;
    borrowed_ -= bulk + zeros;
    if (one.before + one.bulk.size() + one.zeros != 0) return;
    first_ = (first_ + 1) % most_loans;
    --loans_;
  }
  gone_ += share(sent, kept());
  frame = frame.subspan(sent);
  if (kept() != 0) return;
  kept_.clear();
  gone_ = 0;
}

}  // namespace am::detail::tcp
