// limit-socket: the highest rate of messages over plain sockets, with the minimum of work. A round
// trip is a packet of 48 bytes in each direction. A flood is such packets, 1000 per write; the
// reader sums those of each read, and in an answered flood sends their replies in one write. No
// credits, no handlers.
//
// The variants differ in whether the reader spins or sleeps, and in the size of reads and writes.
#include <calib/layers/connected_pair.hpp>
#include <calib/layers/limit_socket_bulk.hpp>
#include <calib/program/message.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using namespace calib;

// Number and rest stand for the header that a real protocol needs.
struct packet {
  std::uint64_t number;
  message content;
  std::uint64_t rest;
};
static_assert(sizeof(packet) == 48);

constexpr std::size_t packets_per_write = 1000;

// Received packets, the last one possibly incomplete.
class packet_reader {
 public:
  packet_reader(int from, wait_mode how) : from_(from), how_(how), buffer_(std::size_t{1} << 18) {}

  // Waits for a packet; reads the available ones, at most `most`. Returns their number.
  template <class Read>
  std::size_t take(std::size_t most, Read&& read) {
    while (end_ - begin_ < sizeof(packet)) receive();
    return take_buffered(most, read);
  }
  // The same without waiting.
  template <class Read>
  std::size_t poll(std::size_t most, Read&& read) {
    make_room();
    const ssize_t got = ::recv(from_, buffer_.data() + end_, buffer_.size() - end_, MSG_DONTWAIT);
    if (got > 0) end_ += static_cast<std::size_t>(got);
    return take_buffered(most, read);
  }

 private:
  template <class Read>
  std::size_t take_buffered(std::size_t most, Read&& read) {
    const std::size_t count = std::min((end_ - begin_) / sizeof(packet), most);
    for (std::size_t i = 0; i < count; ++i, begin_ += sizeof(packet)) {
      packet p;
      std::memcpy(&p, buffer_.data() + begin_, sizeof p);
      read(p);
    }
    return count;
  }
  void receive() {
    make_room();
    end_ += receive_some(from_, buffer_.data() + end_, buffer_.size() - end_, how_);
  }
  void make_room() {
    std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
    end_ -= begin_;
    begin_ = 0;
  }

  int from_;
  wait_mode how_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class limit_socket {
 public:
  limit_socket(int end, wait_mode how) : end_(end), in_(end, how) {
    out_.reserve(packets_per_write);
  }

  // ---- requester ----

  void ping() {
    append(make_message(sent_++));
    flush();
    in_.take(1, [this](const packet& p) { read_reply(p); });
  }
  void post() {
    append(make_message(sent_++));
    if (out_.size() == packets_per_write) flush();
  }
  void request() {
    append(make_message(sent_++));
    ++requested_;
    if (out_.size() == packets_per_write) flush_and_read();
  }
  void drain() {
    flush_and_read();
    while (replied_ != requested_)
      replied_ += in_.take(requested_ - replied_, [this](const packet& p) { read_reply(p); });
  }
  // 1000 packets take some 10 us, about as long as the reply to the last.
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return 200 * packets_per_write; }
  [[nodiscard]] bool intact() const noexcept { return remote_total_ == sum_of_first(sent_); }

  // ---- responder ----

  void serve_pings(std::uint64_t count) {
    for (; count > 0; --count) {
      take_requests(1);
      append({{total_, 0, 0, 0}});
      flush();
    }
  }
  void serve_posts(std::uint64_t count) {
    while (count > 0) count -= take_requests(count);
  }
  void serve_requests(std::uint64_t count) {
    while (count > 0) {
      count -= in_.take(count, [this](const packet& p) {
        total_ += sum(p.content);
        append({{total_, 0, 0, 0}});
      });
      flush();
    }
  }

 private:
  std::size_t take_requests(std::size_t most) {
    return in_.take(most, [this](const packet& p) { total_ += sum(p.content); });
  }
  void read_reply(const packet& p) noexcept { remote_total_ = p.content.words[0]; }

  void append(const message& m) { out_.push_back({out_.size(), m, 0}); }
  void flush() {
    send_all(end_, out_.data(), out_.size() * sizeof(packet));
    out_.clear();
  }
  // Both sides may have more to send than the buffers hold, so the requester reads while it waits.
  void flush_and_read() {
    const auto* at = reinterpret_cast<const std::byte*>(out_.data());
    for (std::size_t left = out_.size() * sizeof(packet); left > 0;) {
      const ssize_t sent = ::send(end_, at, left, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        at += sent;
        left -= static_cast<std::size_t>(sent);
      }
      replied_ += in_.poll(requested_ - replied_, [this](const packet& p) { read_reply(p); });
    }
    out_.clear();
  }

  int end_;
  packet_reader in_;
  std::vector<packet> out_;
  std::uint64_t sent_ = 0;
  std::uint64_t requested_ = 0;
  std::uint64_t replied_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t remote_total_ = 0;
};

struct shape {
  const char* name;
  wait_mode how;
};
constexpr shape shapes[] = {{"spinning", wait_mode::spinning}, {"blocking", wait_mode::blocking}};

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  run_connected(argc, argv, opts, {0, 256 << 10}, [&](side mine, std::span<const int> ends) {
    probe_runner runner(mine, opts);
    const int large = ends[0];
    const int small = ends[1];
    for (const shape& one : shapes) {
      limit_socket layer(large, one.how);
      runner.rtt(layer, one.name);
      runner.flood(layer, one.name);
      runner.rr_flood(layer, one.name);
    }
    // With small socket buffers the data stays in the cache, but a sleeping side is woken more
    // often.
    constexpr std::size_t kib = 1024;
    const bulk_shape bulk_shapes[] = {
        {small, wait_mode::spinning, 8192 * kib, 64 * kib, "small-buffers,64K-reads"},
        {small, wait_mode::spinning, 8192 * kib, 256 * kib, "small-buffers,256K-reads"},
        {large, wait_mode::spinning, 8192 * kib, 256 * kib, "256K-reads"},
        {large, wait_mode::blocking, 1024 * kib, 1024 * kib, "1M-writes,1M-reads,blocking"},
    };
    measure_bulk(runner, bulk_shapes, bulk_memory_for(opts.bytes));
  });
}
