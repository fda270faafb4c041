// The calls between the two processes of the rpc layer: an ONC RPC program, as rpcgen would
// generate it, and the kinds of calls in libtirpc.
#pragma once

#include <calib/program/bulk.hpp>
#include <calib/program/message.hpp>
#include <calib/program/report.hpp>

#include <rpc/rpc.h>
#include <sys/socket.h>

#include <cstdint>

namespace calib::rpc {

inline constexpr rpcprog_t program = 0x20000a11;
inline constexpr rpcvers_t version = 1;

enum procedure : rpcproc_t {
  proc_ping = 1,        // (message) -> sum so far
  proc_post,            // (message), no reply
  proc_request,         // (request), reply by callback
  proc_reply,           // (sum so far), the callback, no reply
  proc_bulk_spec,       // (size, touched) -> nothing: the pieces to expect
  proc_store,           // (piece), no reply
  proc_store_checksum,  // () -> sum of the checksums of all pieces received
  proc_get,             // (get_request), reply by callback
  proc_get_data,        // (piece), the callback, no reply
  proc_piece,           // (piece that starts with a number), no reply
  proc_number_sum,      // () -> sum of the numbers of all pieces received
  proc_leave,           // () -> nothing
};

// Arguments of calls with a reply by callback: a message, or the number of a piece. The reply to
// the last call of a burst is sent at once, with all replies before it.
struct request {
  message content;
  bool_t last;
};
struct get_request {
  std::uint64_t number;
  bool_t last;
};

// A piece of bulk data, from or to the memory that begins at `base`.
struct piece {
  std::uint64_t number;
  u_int bytes;
  char* base;
};

inline bool_t encode(XDR* x, std::uint64_t* word) { return xdr_uint64_t(x, word); }

inline bool_t encode(XDR* x, message* m) {
  for (std::uint64_t& word : m->words)
    if (encode(x, &word) == FALSE) return FALSE;
  return TRUE;
}

inline bool_t encode(XDR* x, request* r) {
  return static_cast<bool_t>(encode(x, &r->content) != FALSE && xdr_bool(x, &r->last) != FALSE);
}

inline bool_t encode(XDR* x, get_request* w) {
  return static_cast<bool_t>(encode(x, &w->number) != FALSE && xdr_bool(x, &w->last) != FALSE);
}

inline bool_t encode(XDR* x, bulk_spec* what) {
  std::uint64_t bytes = what->bytes;
  bool_t touched = what->touched ? TRUE : FALSE;
  if (encode(x, &bytes) == FALSE || xdr_bool(x, &touched) == FALSE) return FALSE;
  *what = {bytes, touched != FALSE};
  return TRUE;
}

inline bool_t encode(XDR* x, piece* p) {
  if (encode(x, &p->number) == FALSE || xdr_u_int(x, &p->bytes) == FALSE) return FALSE;
  return xdr_opaque(x, p->base + p->number * p->bytes, p->bytes);
}

// As libtirpc takes it, for encoding and decoding.
template <class Value>
xdrproc_t coder() {
  return reinterpret_cast<xdrproc_t>(static_cast<bool_t (*)(XDR*, Value*)>(encode));
}
inline xdrproc_t nothing() {
  return reinterpret_cast<xdrproc_t>(+[](XDR*) { return TRUE; });
}

// The calling end of a connection.
class caller {
 public:
  explicit caller(int end) {
    sockaddr_storage peer{};
    socklen_t bytes = sizeof peer;
    ::getpeername(end, reinterpret_cast<sockaddr*>(&peer), &bytes);
    const netbuf address{sizeof peer, bytes, &peer};
    client_ = clnt_vc_create(end, &address, program, version, 0, 0);
    if (client_ == nullptr) report::fault(clnt_spcreateerror("clnt_vc_create"));
  }
  ~caller() { clnt_destroy(client_); }
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

  // Waits for the result.
  template <class Argument, class Result>
  void call(procedure which, Argument& argument, Result& result) {
    run(which, coder<Argument>(), &argument, coder<Result>(), &result, {60, 0}, RPC_SUCCESS);
  }
  template <class Argument>
  void call(procedure which, Argument& argument) {
    run(which, coder<Argument>(), &argument, nothing(), nullptr, {60, 0}, RPC_SUCCESS);
  }
  void call(procedure which) {
    run(which, nothing(), nullptr, nothing(), nullptr, {60, 0}, RPC_SUCCESS);
  }
  template <class Result>
  Result call(procedure which) {
    Result result{};
    run(which, nothing(), nullptr, coder<Result>(), &result, {60, 0}, RPC_SUCCESS);
    return result;
  }

  // A batched call: it has no result, and is sent when the buffer is full or with the next call
  // that is sent at once.
  template <class Argument>
  void batch(procedure which, Argument& argument) {
    run(which, coder<Argument>(), &argument, nullptr, nullptr, {0, 0}, RPC_SUCCESS);
  }
  // Sends at once and does not wait: with a timeout of 0 libtirpc sends, and returns RPC_TIMEDOUT.
  template <class Argument>
  void send_now(procedure which, Argument& argument) {
    run(which, coder<Argument>(), &argument, nothing(), nullptr, {0, 0}, RPC_TIMEDOUT);
  }

 private:
  void run(procedure which, xdrproc_t write, void* argument, xdrproc_t read, void* result,
           timeval wait, clnt_stat expected) {
    const clnt_stat ended = clnt_call(client_, which, write, static_cast<char*>(argument), read,
                                      static_cast<char*>(result), wait);
    if (ended != expected) report::fault(clnt_sperror(client_, "clnt_call"));
  }

  CLIENT* client_;
};

}  // namespace calib::rpc
