// Stores, gets and atomic operations.
#include "table.hpp"

#include <cstdint>
#include <vector>

namespace am_test {

namespace {

char mine[64];
am_word word_here = 0;
void* pointer(std::uintptr_t to) { return reinterpret_cast<void*>(to); }

// A call with all arguments that may be bad.
struct transfer {
  const char* call;
  const char* text;
  std::function<am_status(am_ep*, am_rank, void* there, void* here, std::size_t, const am_handler*)>
      make;
};

const std::vector<transfer> transfers = {
    {"am_ep_store", "store",
     [](am_ep* ep, am_rank to, void* there, void* here, std::size_t bytes, const am_handler* h) {
       return am_ep_store(ep, to, there, here, bytes, h, 0, 0, 0, 0);
     }},
    {"am_ep_try_store", "try_store",
     [](am_ep* ep, am_rank to, void* there, void* here, std::size_t bytes, const am_handler* h) {
       return am_ep_try_store(ep, to, there, here, bytes, h, 0, 0, 0, 0);
     }},
    {"am_ep_store_async", "store_async",
     [](am_ep* ep, am_rank to, void* there, void* here, std::size_t bytes, const am_handler* h) {
       return am_ep_store_async(ep, to, there, here, bytes, h, 0, 0, 0, 0, registered_handler(), 0);
     }},
    {"am_ep_get", "get",
     [](am_ep* ep, am_rank from, void* there, void* here, std::size_t bytes, const am_handler* h) {
       return am_ep_get(ep, from, there, here, bytes, h, 0, 0, 0, 0);
     }},
};

void add_transfer(table& rows, const transfer& of) {
  const std::string text = of.text;
  rows.push_back({of.call, "null endpoint", AM_USAGE_LEFT, no_endpoint, [of](const place&) {
                    return of.make(nullptr, 0, mine, mine, 1, registered_handler());
                  }});
  rows.push_back({of.call, "one rank too far", AM_ARGUMENT_RANK,
                  text + " to rank [0-9]+" + these_ranks, [of](const place& at) {
                    return of.make(at.ep, at.ranks, mine, mine, 1, registered_handler());
                  }});
  rows.push_back({of.call, "rank -1", AM_ARGUMENT_RANK, text + " to rank 4294967295" + these_ranks,
                  [of](const place& at) {
                    return of.make(at.ep, ~am_rank{0}, mine, mine, 1, registered_handler());
                  }});
  rows.push_back(
      {of.call, "no handler", AM_ARGUMENT_HANDLER, text + " without a handler \\(null\\)",
       [of](const place& at) { return of.make(at.ep, at.rank, mine, mine, 1, nullptr); }});
  rows.push_back({of.call, "an unregistered handler", AM_ARGUMENT_HANDLER, text + no_number,
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, mine, mine, 1, unregistered_handler());
                  }});
  rows.push_back({of.call, "null here", AM_ARGUMENT_ADDRESS,
                  text + " of 1 bytes at (0x0|nullptr|\\(nil\\)) here: there is no such memory",
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, mine, nullptr, 1, registered_handler());
                  }});
  rows.push_back({of.call, "null there", AM_ARGUMENT_ADDRESS,
                  text + " of 1 bytes at 0x0 of rank [0-9]+: no such address",
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, nullptr, mine, 1, registered_handler());
                  }});
  rows.push_back({of.call, "past the end of all addresses there", AM_ARGUMENT_ADDRESS,
                  text + " of 64 bytes at 0xffffffffffffffe0 of rank [0-9]+: no such address",
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, pointer(~std::uintptr_t{31}), mine, 64,
                                   registered_handler());
                  }});
  rows.push_back({of.call, "past the end of all addresses here", AM_ARGUMENT_ADDRESS,
                  text + " of 64 bytes at 0xffffffffffffffe0 here: there is no such memory",
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, mine, pointer(~std::uintptr_t{31}), 64,
                                   registered_handler());
                  }});
  rows.push_back({of.call, "all bytes there are", AM_ARGUMENT_ADDRESS,
                  text + " of 18446744073709551615 bytes at 0x[0-9a-f]+ here: .*",
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, mine, mine, SIZE_MAX, registered_handler());
                  }});
  rows.push_back({of.call, "nothing mapped there", AM_ARGUMENT_ADDRESS,
                  "(try_)?(store|get) of 8 bytes at 0x10 of rank [0-9]+: not all of it is mapped",
                  [of](const place& at) {
                    return of.make(at.ep, at.rank, pointer(16), mine, 8, registered_handler());
                  }});
  rows.push_back(
      {of.call, "no bytes, at null addresses, which is allowed", AM_OK, "", [of](const place& at) {
         return of.make(at.ep, at.next(), nullptr, nullptr, 0, registered_handler());
       }});
}

am_status atomic(const place& at, am_rank rank, am_word* where, unsigned op,
                 const am_handler* done) {
  return am_ep_atomic(at.ep, rank, where, static_cast<am_atomic_op>(op), 1, 0, done, 0, 0, 0);
}

void add_atomics(table& rows) {
  const char* call = "am_ep_atomic";
  rows.push_back({call, "null endpoint", AM_USAGE_LEFT, no_endpoint, [](const place&) {
                    return atomic({nullptr, 0, 1}, 0, &word_here, 0, registered_handler());
                  }});
  rows.push_back({call, "one rank too far", AM_ARGUMENT_RANK,
                  std::string("atomic to rank [0-9]+") + these_ranks, [](const place& at) {
                    return atomic(at, at.ranks, &word_here, 0, registered_handler());
                  }});
  rows.push_back(
      {call, "no operation", AM_ARGUMENT_SIZE, "atomic: operation 3: there are 0 to 2",
       [](const place& at) { return atomic(at, at.rank, &word_here, 3, registered_handler()); }});
  rows.push_back({call, "no handler", AM_ARGUMENT_HANDLER, "atomic without a handler \\(null\\)",
                  [](const place& at) { return atomic(at, at.rank, &word_here, 0, nullptr); }});
  rows.push_back(
      {call, "an unregistered handler", AM_ARGUMENT_HANDLER, std::string("atomic") + no_number,
       [](const place& at) { return atomic(at, at.rank, &word_here, 0, unregistered_handler()); }});
  rows.push_back({call, "null there", AM_ARGUMENT_ADDRESS,
                  "atomic of 8 bytes at 0x0 of rank [0-9]+: no such address", [](const place& at) {
                    return atomic(at, at.rank, nullptr, 0, registered_handler());
                  }});
  rows.push_back(
      {call, "a word in two", AM_ARGUMENT_ADDRESS,
       "atomic at 0x[0-9a-f]+4 of rank [0-9]+: the address of a word must be a multiple of 8",
       [](const place& at) {
         auto* odd = static_cast<am_word*>(pointer(0x10004));
         return atomic(at, at.rank, odd, 0, registered_handler());
       }});
}

}  // namespace

void add_bulk_calls(table& rows) {
  for (const transfer& of : transfers) add_transfer(rows, of);
  rows.push_back(
      {"am_ep_try_store", "too many bytes", AM_ARGUMENT_SIZE,
       "try_store of [0-9]+ bytes: at most [0-9]+; store takes more", [](const place& at) {
         return am_ep_try_store(at.ep, at.next(), mine, mine, am_ep_max_medium(at.ep) + 1,
                                registered_handler(), 0, 0, 0, 0);
       }});
  rows.push_back({"am_ep_store_async", "no handler of its end", AM_ARGUMENT_HANDLER,
                  "the end of store_async without a handler \\(null\\)", [](const place& at) {
                    return am_ep_store_async(at.ep, at.rank, mine, mine, 1, registered_handler(), 0,
                                             0, 0, 0, nullptr, 0);
                  }});
  add_atomics(rows);
}

}  // namespace am_test
