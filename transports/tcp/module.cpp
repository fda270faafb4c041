// The module: makes the transport, or says what is missing.
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/one_line.hpp>
#include <libam/base/settings.hpp>
#include <libam/base/version.hpp>
#include <libam/base/why.hpp>
#include <libam/seam/module.hpp>
#include <transports/tcp/interfaces.hpp>
#include <transports/tcp/tcp.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <vector>

namespace am::detail::tcp {

namespace {

// Where others can be given an address. Nothing, and one line: there is none.
std::vector<base::fd> listen_here(const base::networks& wish, bool one_host, std::string& why) {
  const std::vector<interface_address> here = interfaces_here();
  const std::vector<address> chosen = choose_addresses(here, wish, one_host);
  if (chosen.empty())
    why = wish.empty() ? base::format("there is no address to listen at: {}", list_of(here))
                       : base::format("AM_TCP_NET={} allows none of this host's addresses: {}",
                                      base::shown(wish.text()), list_of(here));
  std::vector<base::fd> doors;
  for (const address& where : chosen) {
    base::fd socket(::socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.valid() && ::bind(socket.get(), where.raw(), where.size()) == 0 &&
        ::listen(socket.get(), SOMAXCONN) == 0) {
      doors.push_back(std::move(socket));
      continue;
    }
    why = base::format("cannot listen at {}: {}", where.host_text(), base::why(errno));
    base::log(base::log_level::info, "tcp: {}", why);
  }
  return doors;
}

bool watch(watcher& sockets, std::span<const base::fd> doors) noexcept {
  for (std::uint32_t i = 0; i < doors.size(); ++i)
    if (!sockets.watch(doors[i].get(), watched::listener, i, false)) return false;
  return true;
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
  std::vector<base::fd> doors = listen_here(host.settings.tcp_net, host.job.one_host(), why);
  if (doors.empty()) return nullptr;
  watcher sockets(base::fd(::epoll_create1(EPOLL_CLOEXEC)));
  if (sockets.descriptor() < 0 || !watch(sockets, doors)) {
    why = base::format("nothing to watch sockets by: {}", base::why(errno));
    return nullptr;
  }
  return std::make_unique<tcp_transport>(host, *secret, std::move(sockets), std::move(doors));
}

}  // namespace am::detail::tcp

extern "C" [[gnu::visibility("default")]] const am::detail::seam::module_table*
am_module() noexcept {
  using namespace am::detail;
  static constexpr seam::module_table table{base::version_text, &base::keep_lines_in, &tcp::make,
                                            nullptr};
  return &table;
}
