// socket: messages over a plain socket, as a program usually writes them. A message is a struct
// with a header for its length and kind, in one call of send; the reader blocks for the header and
// then for the rest. Replies are read when 256 requests are outstanding. A library for messages has
// to be faster than this.
#include <calib/layers/connected_pair.hpp>
#include <calib/layers/socket_bulk.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/message.hpp>
#include <calib/program/pieces.hpp>

namespace {

using namespace calib;

enum class kind : std::uint32_t { post, request, reply, piece, number_sum, leave };

struct header {
  std::uint32_t bytes;
  kind what;
};

struct framed_message {
  header front;
  message content;
};

class plain_socket {
 public:
  explicit plain_socket(int end) : end_(end) {}

  // ---- requester ----

  void ping() {
    request();
    drain();
  }
  void post() { send(kind::post, make_message(sent_++)); }
  void request() {
    request_without_poll();
    if (outstanding_ == max_outstanding) receive_reply();
  }
  void request_without_poll() {
    send(kind::request, make_message(sent_++));
    ++outstanding_;
  }
  void receive_reply() {
    remote_total_ = receive_reply_word();
    --outstanding_;
  }
  void drain() {
    while (outstanding_ > 0) receive_reply();
  }
  [[nodiscard]] static std::uint64_t window() noexcept { return max_outstanding; }
  [[nodiscard]] std::uint64_t flood_length() const noexcept {
    return std::uint64_t{50} * max_outstanding;
  }
  [[nodiscard]] bool intact() const noexcept { return remote_total_ == sum_of_first(sent_); }

  void set_piece_bytes(std::size_t bytes) { pieces_bytes_ = bytes; }
  void send_piece(const std::byte* piece) {
    const header front{static_cast<std::uint32_t>(pieces_bytes_), kind::piece};
    send_both(end_, &front, sizeof front, piece, pieces_bytes_);
  }
  std::uint64_t wait_for_pieces() {
    send(kind::number_sum, {});
    return receive_reply_word();
  }

  void leave() { send(kind::leave, {}); }

  // ---- responder ----

  // Until the requester leaves.
  void serve() {
    for (;;) {
      const header front = receive_header();
      if (front.what == kind::piece) {
        receive_piece(front.bytes);
        continue;
      }
      const message m = receive_content(front);
      switch (front.what) {
        case kind::post: total_ += sum(m); break;
        case kind::request:
          total_ += sum(m);
          send(kind::reply, {{total_, 0, 0, 0}});
          break;
        case kind::number_sum: send(kind::reply, {{number_sum_, 0, 0, 0}}); break;
        case kind::leave: return;
        default: report::fault("a message of an unknown kind");
      }
    }
  }

 private:
  static constexpr unsigned max_outstanding = 256;

  void send(kind what, const message& m) {
    const framed_message out{{sizeof m, what}, m};
    send_all(end_, &out, sizeof out);
  }
  header receive_header() {
    header front{};
    receive_all(end_, &front, sizeof front, wait_mode::blocking);
    return front;
  }
  message receive_content(const header& front) {
    message m;
    if (front.bytes != sizeof m) report::fault("a message of a wrong length");
    receive_all(end_, &m, sizeof m, wait_mode::blocking);
    return m;
  }
  std::uint64_t receive_reply_word() { return receive_content(receive_header()).words[0]; }
  void receive_piece(std::size_t bytes) {
    if (bytes < sizeof(std::uint64_t) || bytes > largest_piece)
      report::fault("a piece of a wrong length");
    if (bytes != piece_slots_.bytes()) piece_slots_.set(bytes);
    std::byte* const at = piece_slots_.next();
    receive_all(end_, at, bytes, wait_mode::blocking);
    number_sum_ += number_of(at);
  }

  int end_;
  unsigned outstanding_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t remote_total_ = 0;
  std::size_t pieces_bytes_ = 0;
  piece_slots piece_slots_;
  std::uint64_t number_sum_ = 0;
};

void measure_small(plain_socket& layer, const options& opts) {
  probe_runner runner(side::requester, opts);
  runner.rtt(layer, "default");
  runner.flood(layer, "default");
  runner.rr_flood(layer, "window=256");
}

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  run_connected(argc, argv, opts, {0}, [&](side mine, std::span<const int> ends) {
    plain_socket layer(ends[0]);
    if (mine == side::responder) {
      layer.serve();
    } else {
      if (opts.signature)
        calibrate(layer, sent_pieces(layer), opts);
      else
        measure_small(layer, opts);
      layer.leave();
    }
    probe_runner runner(mine, opts);
    measure_bulk(runner, ends[0], bulk_memory_for(opts.bytes));
  });
}
