// The called end of a connection: libtirpc's server without a port mapper, because the connection
// already exists.
#pragma once

#include <calib/layers/rpc_calls.hpp>

#include <poll.h>
#include <rpc/rpc.h>

#include <vector>

namespace calib::rpc {

using dispatcher = void(svc_req*, SVCXPRT*);

// From now on `run` is called for the calls that arrive at `end`.
inline void serve(int end, dispatcher* run) {
  SVCXPRT* const service = svc_fd_create(end, 0, 0);
  if (service == nullptr || svc_reg(service, program, version, run, nullptr) == FALSE)
    report::fault("no RPC service");
}

// Waits for calls, and runs their procedures.
inline void await_calls() {
  static std::vector<pollfd> open;
  open.assign(svc_pollfd, svc_pollfd + svc_max_pollfd);
  const int ready = ::poll(open.data(), open.size(), -1);
  if (ready > 0) svc_getreq_poll(open.data(), ready);
}

template <class Value>
Value argument(SVCXPRT* of, Value value = {}) {
  if (svc_getargs(of, coder<Value>(), &value) == FALSE) report::fault("cannot read a call");
  return value;
}

template <class Value>
void reply(SVCXPRT* to, Value value) {
  if (svc_sendreply(to, coder<Value>(), &value) == FALSE) report::fault("cannot answer a call");
}
inline void reply(SVCXPRT* to) {
  if (svc_sendreply(to, nothing(), nullptr) == FALSE) report::fault("cannot answer a call");
}

}  // namespace calib::rpc
