// Ranks of a job of two in one thread, each with a transport of its own, polled by the test.
#pragma once

#include "../support/recorder.hpp"
#include "../support/simulated_boot.hpp"

#include <libam/base/settings.hpp>
#include <transports/ucx/ucx.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace am_test {

namespace ucx = am::detail::ucx;
namespace seam = am::detail::seam;
namespace base = am::detail::base;

inline base::settings ucx_settings(std::uint32_t credits, base::wait_mode wait) {
  base::settings made;
  made.log = base::log_level::none;
  made.credits = credits;
  made.wait = wait;
  return made;
}

struct member {
  explicit member(am_rank rank, std::uint32_t credits = 64,
                  base::wait_mode wait = base::wait_mode::spin, std::uint64_t host = 1)
      : boot(rank, 2), settings(ucx_settings(credits, wait)) {
    boot.host = host;
    std::string why;
    transport = ucx::make(seam::transport_context{rank, 2, settings, boot, seen}, why);
    REQUIRE_MESSAGE(transport != nullptr, why);
  }
  // Null: not connected yet.
  seam::port* try_connect(member& other) {
    return try_connect_to(other.boot.rank(), other.transport->address());
  }
  seam::port* try_connect_to(am_rank rank, const std::vector<std::byte>& address) {
    std::string why;
    seam::port* const port = transport->connect(rank, address, why);
    REQUIRE_MESSAGE(why.empty(), why);
    return port;
  }

  simulated_boot boot;
  base::settings settings;
  recorder seen;
  std::unique_ptr<seam::transport> transport;
};

// Begins a transfer as core does; `status` has its state.
inline seam::transfer_status begin(seam::port& port, seam::transfer& one,
                                   seam::transfer_status (seam::port::*how)(seam::transfer&)) {
  one.status = seam::transfer_status::under_way;
  const seam::transfer_status begun = (port.*how)(one);
  if (begun != seam::transfer_status::under_way) one.status = begun;
  return one.status;
}

// A put or get with its state.
struct test_transfer : seam::transfer {
  test_transfer(void* theirs, const void* mine, std::size_t size, am_word word = 0) {
    there = theirs;
    here = const_cast<void*>(mine);
    bytes = size;
    handler = silent;
    words[0] = word;
  }
  seam::transfer_status put(seam::port& port) {
    port.credits.take();
    const seam::transfer_status begun = begin(port, *this, &seam::port::put);
    if (begun != seam::transfer_status::done && begun != seam::transfer_status::under_way)
      port.credits.put_back();
    return begun;
  }
  seam::transfer_status get(seam::port& port) { return begin(port, *this, &seam::port::get); }
};

// Polls all in turn until this holds. False: it never does.
template <class Holds>
bool poll_until(std::initializer_list<member*> all, Holds&& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    for (member* one : all) one->transport->poll(64);
  }
  return true;
}

inline seam::port& connect_ranks(member& from, member& to) {
  seam::port* port = nullptr;
  REQUIRE(poll_until({&from, &to}, [&] { return (port = from.try_connect(to)) != nullptr; }));
  return *port;
}

inline void send(seam::port& port, am_word word, std::uint32_t handler = silent) {
  port.credits.take();
  port.send(handler, word, 0, 0, 0);
}

// Of two ranks, the first has connected to the second.
struct connected_pair {
  member zero{0};
  member one{1};
  seam::port& port = connect_ranks(zero, one);
};

// The second has sent the first a request, which has run.
struct pair_with_traffic {
  pair_with_traffic() {
    send(connect_ranks(one, zero), 1);
    REQUIRE(poll_until({&zero, &one}, [&] { return zero.seen.all.size() == 1; }));
  }
  member zero{0};
  member one{1};
};

}  // namespace am_test
