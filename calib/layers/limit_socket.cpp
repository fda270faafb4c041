// limit-socket: how fast plain sockets carry messages over the loopback interface, if nothing more
// is done than must be. A round trip is a packet of 48 bytes each way. A flood is such packets,
// 1000 to a write, which the reader sums, as many as a read has brought; an answered flood sends
// the answers to those in one write. Nothing else: no credits, no handlers.
//
// Whether a reader spins or sleeps, and how much it takes at a time: the best counts.
#include <calib/layers/limit_socket_bulk.hpp>
#include <calib/layers/loopback.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using namespace calib;

// What another program would need besides the words takes as much room as it would.
struct packet {
  std::uint64_t number;
  message content;
  std::uint64_t rest;
};
static_assert(sizeof(packet) == 48);

constexpr std::size_t to_a_write = 1000;

// Packets that have come, maybe the first part of one behind them.
class arrivals {
 public:
  arrivals(int from, waiting how) : from_(from), how_(how), room_(std::size_t{1} << 18) {}

  // Waits for a packet; reads as many as there are, at most `most`. How many.
  template <class Read>
  std::size_t take(std::size_t most, Read&& read) {
    while (end_ - begin_ < sizeof(packet)) receive(how_);
    return take_those_here(most, read);
  }
  // The same without waiting.
  template <class Read>
  std::size_t look(std::size_t most, Read&& read) {
    make_room();
    const ssize_t got = ::recv(from_, room_.data() + end_, room_.size() - end_, MSG_DONTWAIT);
    if (got > 0) end_ += static_cast<std::size_t>(got);
    return take_those_here(most, read);
  }

 private:
  template <class Read>
  std::size_t take_those_here(std::size_t most, Read&& read) {
    const std::size_t count = std::min((end_ - begin_) / sizeof(packet), most);
    for (std::size_t i = 0; i < count; ++i, begin_ += sizeof(packet)) {
      packet p;
      std::memcpy(&p, room_.data() + begin_, sizeof p);
      read(p);
    }
    return count;
  }
  void receive(waiting how) {
    make_room();
    end_ += receive_some(from_, room_.data() + end_, room_.size() - end_, how);
  }
  void make_room() {
    std::copy(room_.data() + begin_, room_.data() + end_, room_.data());
    end_ -= begin_;
    begin_ = 0;
  }

  int from_;
  waiting how_;
  std::vector<std::byte> room_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class limit_socket {
 public:
  limit_socket(int end, waiting how) : end_(end), in_(end, how) { out_.reserve(to_a_write); }

  // ---- asking ----

  void ping() {
    put(numbered(sent_++));
    send_those_put();
    in_.take(1, [this](const packet& p) { read_answer(p); });
  }
  void post() {
    put(numbered(sent_++));
    if (out_.size() == to_a_write) send_those_put();
  }
  void ask() {
    put(numbered(sent_++));
    ++asked_;
    if (out_.size() == to_a_write) send_and_read();
  }
  void drain() {
    send_and_read();
    while (answered_ != asked_)
      answered_ += in_.take(asked_ - answered_, [this](const packet& p) { read_answer(p); });
  }
  // A thousand packets take some ten microseconds, about as long as the answer to the last.
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return 200 * to_a_write; }
  [[nodiscard]] bool intact() const noexcept { return total_there_ == sum_of_first(sent_); }

  // ---- answering ----

  void serve_pings(std::uint64_t count) {
    for (; count > 0; --count) {
      take_requests(1);
      put({{total_, 0, 0, 0}});
      send_those_put();
    }
  }
  void serve_posts(std::uint64_t count) {
    while (count > 0) count -= take_requests(count);
  }
  void serve_asks(std::uint64_t count) {
    while (count > 0) {
      count -= in_.take(count, [this](const packet& p) {
        total_ += sum(p.content);
        put({{total_, 0, 0, 0}});
      });
      send_those_put();
    }
  }

 private:
  std::size_t take_requests(std::size_t most) {
    return in_.take(most, [this](const packet& p) { total_ += sum(p.content); });
  }
  void read_answer(const packet& p) noexcept { total_there_ = p.content.words[0]; }

  void put(const message& m) { out_.push_back({out_.size(), m, 0}); }
  void send_those_put() {
    send_all(end_, out_.data(), out_.size() * sizeof(packet));
    out_.clear();
  }
  // Both sides may have more to send than there is room for: who asks does not wait without
  // reading.
  void send_and_read() {
    const auto* at = reinterpret_cast<const std::byte*>(out_.data());
    for (std::size_t left = out_.size() * sizeof(packet); left > 0;) {
      const ssize_t sent = ::send(end_, at, left, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        at += sent;
        left -= static_cast<std::size_t>(sent);
      }
      answered_ += in_.look(asked_ - answered_, [this](const packet& p) { read_answer(p); });
    }
    out_.clear();
  }

  int end_;
  arrivals in_;
  std::vector<packet> out_;
  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t total_there_ = 0;
};

struct shape {
  const char* name;
  waiting how;
};
constexpr shape shapes[] = {{"spinning", waiting::spinning}, {"blocking", waiting::blocking}};

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const connection line = connect_here();
  const connection small = connect_here(256 << 10);
  as_pair(1, [&](side mine, std::byte*) {
    script play(mine, from);
    for (const shape& one : shapes) {
      limit_socket layer(line.end_of(mine), one.how);
      play.rtt(layer, one.name);
      play.flood(layer, one.name);
      play.rr_flood(layer, one.name);
    }
    // With small buffers what passes through the system stays in the cache, but who sleeps is woken
    // more often.
    constexpr std::size_t kib = 1024;
    const bulk_shape bulk_shapes[] = {
        {small.end_of(mine), waiting::spinning, 8192 * kib, 64 * kib, "small-buffers,64K-reads"},
        {small.end_of(mine), waiting::spinning, 8192 * kib, 256 * kib, "small-buffers,256K-reads"},
        {line.end_of(mine), waiting::spinning, 8192 * kib, 256 * kib, "256K-reads"},
        {line.end_of(mine), waiting::blocking, 1024 * kib, 1024 * kib,
         "1M-writes,1M-reads,blocking"},
    };
    measure_bulk(play, bulk_shapes, room_for(from.bytes));
  });
}
