// socket: messages over a plain socket as they are usually written. A message is a struct with its
// length in front and one call of send; the reader waits, asleep, for exactly the length and then
// for exactly the rest. Answers are read when 256 requests are open. What a library for messages
// has to beat.
#include <calib/layers/loopback.hpp>
#include <calib/layers/socket_bulk.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>

namespace {

using namespace calib;

struct letter {
  std::uint64_t bytes;
  message content;
};

class plain_socket {
 public:
  explicit plain_socket(int end) : end_(end) {}

  // ---- asking ----

  void ping() {
    ask();
    drain();
  }
  void post() { send(numbered(sent_++)); }
  void ask() {
    send(numbered(sent_++));
    if (++open_ == window) read_answer();
  }
  void drain() {
    while (open_ > 0) read_answer();
  }
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return std::uint64_t{50} * window; }
  [[nodiscard]] bool intact() const noexcept { return total_there_ == sum_of_first(sent_); }

  // ---- answering ----

  void serve_posts(std::uint64_t count) {
    for (; count > 0; --count) total_ += sum(receive());
  }
  void serve_asks(std::uint64_t count) {
    for (; count > 0; --count) {
      total_ += sum(receive());
      send({{total_, 0, 0, 0}});
    }
  }
  void serve_pings(std::uint64_t count) { serve_asks(count); }

 private:
  static constexpr unsigned window = 256;  // so many requests may be without an answer

  void send(const message& m) {
    const letter out{sizeof m, m};
    send_all(end_, &out, sizeof out);
  }
  message receive() {
    std::uint64_t bytes = 0;
    receive_all(end_, &bytes, sizeof bytes, waiting::blocking);
    message m;
    if (bytes != sizeof m) report::fault("a message of a strange length");
    receive_all(end_, &m, sizeof m, waiting::blocking);
    return m;
  }
  void read_answer() {
    total_there_ = receive().words[0];
    --open_;
  }

  int end_;
  unsigned open_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t total_there_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const connection line = connect_here();
  as_pair(1, [&](side mine, std::byte*) {
    script play(mine, from);
    plain_socket layer(line.end_of(mine));
    play.rtt(layer, "default");
    play.flood(layer, "default");
    play.rr_flood(layer, "window=256");
    measure_bulk(play, line.end_of(mine), room_for(from.bytes));
  });
}
