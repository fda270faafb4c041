// rpc: remote procedure calls with libtirpc (ONC RPC over TCP), as asynchronous as its interface
// allows. A round trip is an ordinary call. Floods and stores are batched calls, which have no
// result and are sent when the buffer is full. Answered floods and gets, which need replies without
// a wait for each, are bursts of batched calls; the reply to each is a batched callback over a
// second connection. The last call of a burst is sent at once, and so is its reply. With
// --signature every request is a burst of its own.
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

struct piece_side {
  rpc::caller calls;  // to the other process
  bulk_buffer mine;
  bulk_spec what{};
  std::uint64_t checksum = 0;
};
struct responder_state : piece_side {
  std::uint64_t total = 0;
  std::uint64_t number_sum = 0;
  bool leave = false;
};
struct requester_state : piece_side {
  std::uint64_t replies = 0;
  std::uint64_t remote_total = 0;
};
// Global, because libtirpc passes no context to procedures. A process has one of the two.
std::unique_ptr<responder_state> own_responder;
std::unique_ptr<requester_state> own_requester;

rpc::piece piece_of(const piece_side& side, std::uint64_t number = 0) {
  return {number, static_cast<u_int>(side.what.bytes),
          reinterpret_cast<char*>(side.mine.piece(side.what, 0))};
}

// Decodes a piece into its place. Returns the place.
const std::byte* receive_piece(const piece_side& side, SVCXPRT* from) {
  return side.mine.piece(side.what, rpc::argument<rpc::piece>(from, piece_of(side)).number);
}

void store_piece(piece_side& side, SVCXPRT* from) {
  side.checksum += piece_checksum(side.what, receive_piece(side, from));
}

// ---- responder ----

template <class Argument>
void reply_by_call(rpc::procedure which, Argument argument, bool_t last) {
  if (last != FALSE)
    own_responder->calls.send_now(which, argument);
  else
    own_responder->calls.batch(which, argument);
}

void reply_to_request(const rpc::request& r) {
  own_responder->total += sum(r.content);
  reply_by_call(rpc::proc_reply, own_responder->total, r.last);
}

void dispatch(svc_req* call, SVCXPRT* from) {
  switch (call->rq_proc) {
    case rpc::proc_ping:
      own_responder->total += sum(rpc::argument<message>(from));
      return rpc::reply(from, own_responder->total);
    case rpc::proc_post: own_responder->total += sum(rpc::argument<message>(from)); return;
    case rpc::proc_request: return reply_to_request(rpc::argument<rpc::request>(from));
    case rpc::proc_bulk_spec:
      own_responder->what = rpc::argument<bulk_spec>(from);
      return rpc::reply(from);
    case rpc::proc_store: return store_piece(*own_responder, from);
    case rpc::proc_store_checksum:
      return rpc::reply(from, std::exchange(own_responder->checksum, 0));
    case rpc::proc_get: {
      const auto get = rpc::argument<rpc::get_request>(from);
      return reply_by_call(rpc::proc_get_data, piece_of(*own_responder, get.number), get.last);
    }
    case rpc::proc_piece:
      own_responder->number_sum += number_of(receive_piece(*own_responder, from));
      return;
    case rpc::proc_number_sum: return rpc::reply(from, own_responder->number_sum);
    case rpc::proc_leave: own_responder->leave = true; return rpc::reply(from);
    default: svcerr_noproc(from);
  }
}

void run_responder(int end, int callbacks, std::size_t memory_bytes) {
  own_responder.reset(new responder_state{{rpc::caller(callbacks), bulk_buffer(memory_bytes)}});
  rpc::serve(end, dispatch);
  while (!own_responder->leave) rpc::await_calls();
}

// ---- requester ----

void dispatch_callback(svc_req* call, SVCXPRT* from) {
  if (call->rq_proc == rpc::proc_get_data)
    store_piece(*own_requester, from);
  else
    own_requester->remote_total = rpc::argument<std::uint64_t>(from);
  ++own_requester->replies;
}

class rpc_layer {
 public:
  // The calls per burst.
  void set_burst(unsigned burst) noexcept { burst_ = burst; }

  void ping() {
    message m = make_message(sent_++);
    own_requester->calls.call(rpc::proc_ping, m, own_requester->remote_total);
  }
  void post() {
    message m = make_message(sent_++);
    own_requester->calls.batch(rpc::proc_post, m);
  }
  void request() {
    send_one_of_burst(rpc::proc_request, rpc::request{make_message(sent_++), is_last()});
  }
  void drain() {
    while (own_requester->replies != requested_) rpc::await_calls();
  }
  // Whole bursts.
  [[nodiscard]] std::uint64_t flood_length() const noexcept { return std::uint64_t{20} * 1024; }
  [[nodiscard]] bool intact() const noexcept {
    return own_requester->remote_total == sum_of_first(sent_);
  }

  void set(const bulk_spec& what) {
    own_requester->what = what;
    own_requester->calls.call(rpc::proc_bulk_spec, own_requester->what);
  }
  bulk_buffer& memory() noexcept { return own_requester->mine; }
  void store(std::uint64_t n) {
    rpc::piece p = piece_of(*own_requester, n);
    own_requester->calls.batch(rpc::proc_store, p);
  }
  std::uint64_t wait_for_stores() {
    return own_requester->calls.call<std::uint64_t>(rpc::proc_store_checksum);
  }
  void get(std::uint64_t n) {
    const bool_t last = n + 1 == own_requester->what.count() ? TRUE : is_last();
    send_one_of_burst(rpc::proc_get, rpc::get_request{n, last});
  }
  std::uint64_t wait_for_gets() {
    drain();
    return std::exchange(own_requester->checksum, 0);
  }

 private:
  [[nodiscard]] bool_t is_last() const noexcept {
    return (requested_ + 1) % burst_ == 0 ? TRUE : FALSE;
  }

  template <class Argument>
  void send_one_of_burst(rpc::procedure which, Argument argument) {
    ++requested_;
    if (argument.last == FALSE) return own_requester->calls.batch(which, argument);
    own_requester->calls.send_now(which, argument);
    drain();
  }

  unsigned burst_ = 16;
  std::uint64_t sent_ = 0;
  std::uint64_t requested_ = 0;
};

// Requests that are sent one by one, as are their replies; and pieces of any size.
class rpc_requests {
 public:
  void request_without_poll() {
    rpc::request one{make_message(sent_++), TRUE};
    own_requester->calls.send_now(rpc::proc_request, one);
    ++requested_;
  }
  void request() {
    request_without_poll();
    while (requested_ - own_requester->replies >= max_outstanding) rpc::await_calls();
  }
  void receive_reply() { drain(); }
  void drain() {
    while (own_requester->replies != requested_) rpc::await_calls();
  }
  void ping() {
    request_without_poll();
    drain();
  }
  [[nodiscard]] static std::uint64_t window() noexcept { return max_outstanding; }
  [[nodiscard]] static std::uint64_t flood_length() noexcept { return 50 * max_outstanding; }
  [[nodiscard]] bool intact() const noexcept {
    return own_requester->remote_total == sum_of_first(sent_);
  }

  // The places of the pieces at the responder follow the places here, in turn.
  void set_piece_bytes(std::size_t bytes) {
    own_requester->what = {bytes, false};
    own_requester->calls.call(rpc::proc_bulk_spec, own_requester->what);
    place_ = 0;
  }
  void send_piece(const std::byte* piece) {
    const std::size_t bytes = own_requester->what.bytes;
    const auto* base = reinterpret_cast<const char*>(piece - place_ * bytes);
    rpc::piece p{place_, static_cast<u_int>(bytes), const_cast<char*>(base)};
    own_requester->calls.batch(rpc::proc_piece, p);
    place_ = (place_ + 1) % (piece_memory_bytes / bytes);
  }
  std::uint64_t wait_for_pieces() {
    return own_requester->calls.call<std::uint64_t>(rpc::proc_number_sum);
  }

 private:
  static constexpr std::uint64_t max_outstanding = 256;

  std::uint64_t sent_ = 0;
  std::uint64_t requested_ = 0;
  std::uint64_t place_ = 0;
};

void measure_all(probe_runner& runner) {
  rpc_layer layer;
  runner.rtt(layer, "call");
  runner.flood(layer, "batched");
  for (const unsigned burst : {256U, 1024U}) {
    layer.set_burst(burst);
    runner.rr_flood(layer, "burst=" + std::to_string(burst));
  }
  layer.set_burst(16);
  runner.get_bulk(layer, "burst=16");
  runner.store_bulk(layer, "batched");
}

void run_requester(probe_runner& runner, int end, int callbacks, std::size_t memory_bytes,
                   const options& opts) {
  own_requester.reset(new requester_state{{rpc::caller(end), bulk_buffer(memory_bytes)}});
  rpc::serve(callbacks, dispatch_callback);
  if (opts.signature) {
    rpc_requests layer;
    calibrate(layer, sent_pieces(layer), opts);
  } else {
    measure_all(runner);
  }
  own_requester->calls.call(rpc::proc_leave);
}

}  // namespace

int main(int argc, char** argv) {
  const options opts = parse(argc, argv);
  const std::size_t memory_bytes =
      std::max(bulk_memory_for(opts.bytes), opts.signature ? piece_memory_bytes : line_bytes);
  const connection calls = connect_loopback();
  const connection callbacks = connect_loopback();
  run_pair(1, [&](side mine, std::byte*) {
    probe_runner runner(mine, opts);
    if (mine == side::requester)
      run_requester(runner, calls.requester, callbacks.requester, memory_bytes, opts);
    else
      run_responder(calls.responder, callbacks.responder, memory_bytes);
  });
}
