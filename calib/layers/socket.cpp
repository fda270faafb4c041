// socket: messages over a plain socket as they are usually written. A message is a struct with its
// length and kind in front and one call of send; the reader waits, asleep, for exactly these and
// then for exactly the rest. Answers are read when 256 requests are open. What a library for
// messages has to beat.
#include <calib/layers/loopback.hpp>
#include <calib/layers/socket_bulk.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pair.hpp>
#include <calib/program/pieces.hpp>

namespace {

using namespace calib;

enum class kind : std::uint32_t { posted, asked, answer, piece, counted, last };

struct heading {
  std::uint32_t bytes;
  kind what;
};

struct letter {
  heading front;
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
  void post() { send(kind::posted, numbered(sent_++)); }
  void ask() {
    ask_blind();
    if (open_ == most_open) take();
  }
  void ask_blind() {
    send(kind::asked, numbered(sent_++));
    ++open_;
  }
  void take() {
    total_there_ = receive_answer();
    --open_;
  }
  void drain() {
    while (open_ > 0) take();
  }
  [[nodiscard]] static std::uint64_t window() noexcept { return most_open; }
  [[nodiscard]] std::uint64_t flood_length() const noexcept {
    return std::uint64_t{50} * most_open;
  }
  [[nodiscard]] bool intact() const noexcept { return total_there_ == sum_of_first(sent_); }

  void prepare(std::size_t bytes) { pieces_bytes_ = bytes; }
  void ship(const std::byte* piece) {
    const heading front{static_cast<std::uint32_t>(pieces_bytes_), kind::piece};
    send_both(end_, &front, sizeof front, piece, pieces_bytes_);
  }
  std::uint64_t settle_shipped() {
    send(kind::counted, {});
    return receive_answer();
  }

  void leave() { send(kind::last, {}); }

  // ---- answering ----

  // Until the other leaves.
  void serve() {
    for (;;) {
      const heading front = receive_heading();
      if (front.what == kind::piece) {
        receive_piece(front.bytes);
        continue;
      }
      const message m = receive_content(front);
      switch (front.what) {
        case kind::posted: total_ += sum(m); break;
        case kind::asked:
          total_ += sum(m);
          send(kind::answer, {{total_, 0, 0, 0}});
          break;
        case kind::counted: send(kind::answer, {{numbers_, 0, 0, 0}}); break;
        case kind::last: return;
        default: report::fault("a message of a strange kind");
      }
    }
  }

 private:
  static constexpr unsigned most_open = 256;  // so many requests may be without an answer

  void send(kind what, const message& m) {
    const letter out{{sizeof m, what}, m};
    send_all(end_, &out, sizeof out);
  }
  heading receive_heading() {
    heading front{};
    receive_all(end_, &front, sizeof front, waiting::blocking);
    return front;
  }
  message receive_content(const heading& front) {
    message m;
    if (front.bytes != sizeof m) report::fault("a message of a strange length");
    receive_all(end_, &m, sizeof m, waiting::blocking);
    return m;
  }
  std::uint64_t receive_answer() { return receive_content(receive_heading()).words[0]; }
  void receive_piece(std::size_t bytes) {
    if (bytes < sizeof(std::uint64_t) || bytes > largest_piece)
      report::fault("a piece of a strange length");
    if (bytes != places_.bytes()) places_.set(bytes);
    std::byte* const at = places_.next();
    receive_all(end_, at, bytes, waiting::blocking);
    numbers_ += number_of(at);
  }

  int end_;
  unsigned open_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t total_there_ = 0;
  std::size_t pieces_bytes_ = 0;
  places places_;
  std::uint64_t numbers_ = 0;
};

void measure_small(plain_socket& layer, const options& from) {
  script play(side::asking, from);
  play.rtt(layer, "default");
  play.flood(layer, "default");
  play.rr_flood(layer, "window=256");
}

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const connection line = connect_here();
  as_pair(1, [&](side mine, std::byte*) {
    plain_socket layer(line.end_of(mine));
    if (mine == side::answering) {
      layer.serve();
    } else {
      if (from.signature)
        calibrate(layer, shipped_pieces(layer), from);
      else
        measure_small(layer, from);
      layer.leave();
    }
    script play(mine, from);
    measure_bulk(play, line.end_of(mine), room_for(from.bytes));
  });
}
