// rpc: asynchronous remote procedure calls by libtirpc (ONC RPC over TCP), as far as its user can
// take them. A round trip is an ordinary call. A flood is batched calls, which have no result and
// leave when the buffer is full; so is a store, with the piece as argument. What needs an answer
// and should not be waited for one by one (answered floods, gets) goes in bursts of batched calls,
// each answered by a batched call back over a second connection; the last of a burst leaves at
// once, and so does its answer. With --signature every request is a burst of its own.
#include <calib/layers/loopback.hpp>
#include <calib/layers/rpc_service.hpp>
#include <calib/program/calibration.hpp>
#include <calib/program/pair.hpp>
#include <calib/program/pieces.hpp>

#include <memory>
#include <string>
#include <utility>

namespace {

using namespace calib;

// libtirpc hands procedures nothing of ours: what they work on. A process has one of the two.
struct answering {
  rpc::caller back;
  cargo mine;
  bulk what{};
  std::uint64_t total = 0;
  std::uint64_t tallies = 0;
  std::uint64_t numbers = 0;
  bool leave = false;
};
std::unique_ptr<answering> here;

struct asking {
  rpc::caller there;
  cargo mine;
  bulk what{};
  std::uint64_t answers = 0;
  std::uint64_t total_there = 0;
  std::uint64_t tallies = 0;
};
std::unique_ptr<asking> own;

template <class Side>
rpc::piece piece_of(const Side& side, std::uint64_t number = 0) {
  return {number, static_cast<u_int>(side.what.bytes),
          reinterpret_cast<char*>(side.mine.piece(side.what, 0))};
}

// Takes a piece to its place, and what it adds up to.
template <class Side>
void take_piece(Side& side, SVCXPRT* from) {
  const auto come = rpc::argument<rpc::piece>(from, piece_of(side));
  side.tallies += tally(side.what, side.mine.piece(side.what, come.number));
}

void take_numbered(answering& side, SVCXPRT* from) {
  const auto come = rpc::argument<rpc::piece>(from, piece_of(side));
  side.numbers += number_of(side.mine.piece(side.what, come.number));
}

// ---- the process that answers ----

template <class Argument>
void call_back(rpc::procedure which, Argument argument, bool_t last) {
  if (last != FALSE)
    here->back.ship(which, argument);
  else
    here->back.batch(which, argument);
}

void answer(const rpc::request& r) {
  here->total += sum(r.content);
  call_back(rpc::answered, here->total, r.last);
}

void dispatch(svc_req* call, SVCXPRT* from) {
  switch (call->rq_proc) {
    case rpc::pinged:
      here->total += sum(rpc::argument<message>(from));
      return rpc::reply(from, here->total);
    case rpc::posted: here->total += sum(rpc::argument<message>(from)); return;
    case rpc::asked: return answer(rpc::argument<rpc::request>(from));
    case rpc::told: here->what = rpc::argument<bulk>(from); return rpc::reply(from);
    case rpc::stored: return take_piece(*here, from);
    case rpc::settled: return rpc::reply(from, std::exchange(here->tallies, 0));
    case rpc::wanted: {
      const auto wish = rpc::argument<rpc::wish>(from);
      return call_back(rpc::brought, piece_of(*here, wish.number), wish.last);
    }
    case rpc::shipped: return take_numbered(*here, from);
    case rpc::counted: return rpc::reply(from, here->numbers);
    case rpc::told_to_leave: here->leave = true; return rpc::reply(from);
    default: svcerr_noproc(from);
  }
}

void answer_all(int end, int back, std::size_t room) {
  here.reset(new answering{rpc::caller(back), cargo(room)});
  rpc::serve(end, dispatch);
  while (!here->leave) rpc::await_calls();
}

// ---- the process that asks ----

void hear(svc_req* call, SVCXPRT* from) {
  if (call->rq_proc == rpc::brought)
    take_piece(*own, from);
  else
    own->total_there = rpc::argument<std::uint64_t>(from);
  ++own->answers;
}

class rpc_layer {
 public:
  // How many calls make a burst.
  void set_burst(unsigned burst) noexcept { burst_ = burst; }

  void ping() {
    message m = numbered(sent_++);
    own->there.call(rpc::pinged, m, own->total_there);
  }
  void post() {
    message m = numbered(sent_++);
    own->there.batch(rpc::posted, m);
  }
  void ask() { send_one_of_burst(rpc::asked, rpc::request{numbered(sent_++), is_last()}); }
  void drain() {
    while (own->answers != asked_) rpc::await_calls();
  }
  // Whole bursts.
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return std::uint64_t{20} * 1024; }
  [[nodiscard]] bool intact() const noexcept { return own->total_there == sum_of_first(sent_); }

  void set(const bulk& what) {
    own->what = what;
    own->there.call(rpc::told, own->what);
  }
  cargo& memory() noexcept { return own->mine; }
  void store(std::uint64_t n) {
    rpc::piece p = piece_of(*own, n);
    own->there.batch(rpc::stored, p);
  }
  std::uint64_t settle_stores() { return own->there.call<std::uint64_t>(rpc::settled); }
  void get(std::uint64_t n) {
    const bool_t last = n + 1 == own->what.count() ? TRUE : is_last();
    send_one_of_burst(rpc::wanted, rpc::wish{n, last});
  }
  std::uint64_t settle_gets() {
    drain();
    return std::exchange(own->tallies, 0);
  }

 private:
  [[nodiscard]] bool_t is_last() const noexcept {
    return (asked_ + 1) % burst_ == 0 ? TRUE : FALSE;
  }

  template <class Argument>
  void send_one_of_burst(rpc::procedure which, Argument argument) {
    ++asked_;
    if (argument.last == FALSE) return own->there.batch(which, argument);
    own->there.ship(which, argument);
    drain();
  }

  unsigned burst_ = 16;
  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
};

// Requests that leave one by one, and so do their answers; and pieces of any size.
class rpc_requests {
 public:
  void ask_blind() {
    rpc::request one{numbered(sent_++), TRUE};
    own->there.ship(rpc::asked, one);
    ++asked_;
  }
  void ask() {
    ask_blind();
    while (asked_ - own->answers >= most_open) rpc::await_calls();
  }
  void take() { drain(); }
  void drain() {
    while (own->answers != asked_) rpc::await_calls();
  }
  void ping() {
    ask_blind();
    drain();
  }
  [[nodiscard]] static std::uint64_t window() noexcept { return most_open; }
  [[nodiscard]] static std::uint64_t flood_length() noexcept { return 50 * most_open; }
  [[nodiscard]] bool intact() const noexcept { return own->total_there == sum_of_first(sent_); }

  // To place n, and round again, as they come from there.
  void prepare(std::size_t bytes) {
    own->what = {bytes, false};
    own->there.call(rpc::told, own->what);
    place_ = 0;
  }
  void ship(const std::byte* piece) {
    const std::size_t bytes = own->what.bytes;
    const auto* base = reinterpret_cast<const char*>(piece - place_ * bytes);
    rpc::piece p{place_, static_cast<u_int>(bytes), const_cast<char*>(base)};
    own->there.batch(rpc::shipped, p);
    place_ = (place_ + 1) % (pieces_room / bytes);
  }
  std::uint64_t settle_shipped() { return own->there.call<std::uint64_t>(rpc::counted); }

 private:
  static constexpr std::uint64_t most_open = 256;  // so many requests may be without an answer

  std::uint64_t sent_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t place_ = 0;
};

void measure_all(script& play) {
  rpc_layer layer;
  play.rtt(layer, "call");
  play.flood(layer, "batched");
  for (const unsigned burst : {256U, 1024U}) {
    layer.set_burst(burst);
    play.rr_flood(layer, "burst=" + std::to_string(burst));
  }
  layer.set_burst(16);
  play.get_bulk(layer, "burst=16");
  play.store_bulk(layer, "batched");
}

void ask_all(script& play, int end, int back, std::size_t room, const options& from) {
  own.reset(new asking{rpc::caller(end), cargo(room)});
  rpc::serve(back, hear);
  if (from.signature) {
    rpc_requests layer;
    calibrate(layer, shipped_pieces(layer), from);
  } else {
    measure_all(play);
  }
  own->there.call(rpc::told_to_leave);
}

}  // namespace

int main(int argc, char** argv) {
  const options from = parse(argc, argv);
  const std::size_t room =
      std::max(room_for(from.bytes), from.signature ? pieces_room : line_bytes);
  const connection line = connect_here();
  const connection back = connect_here();
  as_pair(1, [&](side mine, std::byte*) {
    script play(mine, from);
    if (mine == side::asking)
      ask_all(play, line.asking, back.asking, room, from);
    else
      answer_all(line.answering, back.answering, room);
  });
}
