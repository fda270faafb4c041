// The module: makes the transport, or says what is missing.
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/version.hpp>
#include <libam/base/why.hpp>
#include <libam/seam/module.hpp>
#include <transports/tcp/tcp.hpp>

#include <sys/socket.h>

#include <cerrno>

namespace am::detail::tcp {

namespace {

// All ranks are on this host, so nobody else need reach them.
base::fd listen_here() {
  for (const int family : {AF_INET, AF_INET6}) {
    const address here = address::loopback(family);
    base::fd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.valid() && ::bind(socket.get(), here.raw(), here.size()) == 0 &&
        ::listen(socket.get(), SOMAXCONN) == 0)
      return socket;
  }
  return {};
}

}  // namespace

std::unique_ptr<seam::transport> make(const seam::host& host, std::string& why) {
  base::set_log(host.settings.log, host.rank);  // this module has a log of its own
  const seam::job_secret* const secret = host.job.secret();
  if (secret == nullptr) {
    why = "the launcher has given the job no secret by which ranks could be told from strangers";
    return nullptr;
  }
  if (!prepare_proofs()) {
    why = "libsodium finds no source of random numbers";
    return nullptr;
  }
  base::fd listener = listen_here();
  watcher sockets(base::fd(::epoll_create1(EPOLL_CLOEXEC)));
  if (!listener.valid() || sockets.descriptor() < 0 ||
      !sockets.watch(listener.get(), watched::listener, 0, false)) {
    why = base::format("no socket to listen at: {}", base::why(errno));
    return nullptr;
  }
  return std::make_unique<tcp_transport>(host, *secret, std::move(sockets), std::move(listener));
}

}  // namespace am::detail::tcp

extern "C" [[gnu::visibility("default")]] const am::detail::seam::module_table*
am_module() noexcept {
  static constexpr am::detail::seam::module_table table{am::detail::base::version_text,
                                                        &am::detail::tcp::make};
  return &table;
}
