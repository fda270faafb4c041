// The module: makes the transport, or reports why it cannot.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/text.hpp>
#include <libam/base/version.hpp>
#include <libam/seam/module.hpp>
#include <transports/tcp/connect/interfaces.hpp>
#include <transports/tcp/tcp.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <vector>

namespace am::detail::tcp {

namespace {

// A listener at each chosen address. None: `why` says why.
std::vector<base::fd> open_listeners(const base::networks& filter, bool one_host,
                                     std::string& why) {
  const std::vector<interface_address> interfaces = local_interfaces();
  const std::vector<address> chosen = choose_addresses(interfaces, filter, one_host);
  if (chosen.empty())
    why =
        filter.empty()
            ? base::format("there is no address to listen at: {}", describe_interfaces(interfaces))
            : base::format("AM_TCP_NET={} allows none of this host's addresses: {}",
                           base::abbreviate(filter.text()), describe_interfaces(interfaces));
  std::vector<base::fd> listeners;
  for (const address& where : chosen) {
    base::fd socket(::socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.valid() && ::bind(socket.get(), where.raw(), where.size()) == 0 &&
        ::listen(socket.get(), SOMAXCONN) == 0) {
      listeners.push_back(std::move(socket));
      continue;
    }
    why = base::format("cannot listen at {}: {}", where.host_text(), base::errno_text(errno));
    base::log(base::log_level::info, "tcp: {}", why);
  }
  return listeners;
}

bool watch_listeners(epoll_set& sockets, std::span<const base::fd> listeners) noexcept {
  for (std::uint32_t i = 0; i < listeners.size(); ++i)
    if (!sockets.watch(listeners[i].get(), socket_kind::listener, i, false)) return false;
  return true;
}

}  // namespace

std::unique_ptr<seam::transport> make(const seam::transport_context& context, std::string& why) {
  base::set_log(context.settings.log, context.rank);  // this module has a log of its own
  const seam::job_secret* const secret = context.job.secret();
  if (secret == nullptr) {
    why = "the launcher has given the job no secret, so ranks could not prove themselves";
    return nullptr;
  }
  if (!init_sodium()) {
    why = "libsodium finds no source of random numbers";
    return nullptr;
  }
  std::vector<base::fd> listeners =
      open_listeners(context.settings.tcp_net, context.job.one_host(), why);
  if (listeners.empty()) return nullptr;
  epoll_set sockets(base::fd(::epoll_create1(EPOLL_CLOEXEC)));
  if (sockets.descriptor() < 0 || !watch_listeners(sockets, listeners)) {
    why = base::format("cannot make an epoll set: {}", base::errno_text(errno));
    return nullptr;
  }
  return std::make_unique<tcp_transport>(context, *secret, std::move(sockets),
                                         std::move(listeners));
}

}  // namespace am::detail::tcp

extern "C" [[gnu::visibility("default")]] const am::detail::seam::module_table*
am_module() noexcept {
  using namespace am::detail;
  static constexpr seam::module_table table{base::version_text, &base::use_error_buffer, &tcp::make,
                                            nullptr};
  return &table;
}
