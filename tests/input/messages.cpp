// Requests, small and medium, in both forms.
#include "table.hpp"

#include <vector>

namespace am_test {

namespace {

struct form {
  const char* call;
  const char* text;  // in the text
  std::function<am_status(am_ep*, am_rank, const am_handler*)> make;
};

const std::vector<form> forms = {
    {"am_ep_request", "request",
     [](am_ep* ep, am_rank to, const am_handler* h) {
       return am_ep_request(ep, to, h, 0, 0, 0, 0);
     }},
    {"am_ep_later", "later",
     [](am_ep* ep, am_rank to, const am_handler* h) { return am_ep_later(ep, to, h, 0, 0, 0, 0); }},
    {"am_ep_try_request", "try_request",
     [](am_ep* ep, am_rank to, const am_handler* h) {
       return am_ep_try_request(ep, to, h, 0, 0, 0, 0);
     }},
    {"am_ep_request_medium", "request_medium",
     [](am_ep* ep, am_rank to, const am_handler* h) {
       return am_ep_request_medium(ep, to, h, "x", 1, 0, 0, 0, 0);
     }},
    {"am_ep_try_request_medium", "try_request_medium",
     [](am_ep* ep, am_rank to, const am_handler* h) {
       return am_ep_try_request_medium(ep, to, h, "x", 1, 0, 0, 0, 0);
     }},
    {"am_ep_request_with_room", "request_with_room",
     [](am_ep* ep, am_rank to, const am_handler* h) {
       return am_ep_request_with_room(ep, to, h, "x", 1, 1, 0, 0, 0, 0);
     }},
    {"am_ep_try_request_with_room", "try_request_with_room",
     [](am_ep* ep, am_rank to, const am_handler* h) {
       return am_ep_try_request_with_room(ep, to, h, "x", 1, 1, 0, 0, 0, 0);
     }},
};

struct medium {
  const char* call;
  decltype(&am_ep_request_medium) make;
};
template <auto Call>
am_status with_room(am_ep* ep, am_rank to, const am_handler* h, const void* data, size_t bytes,
                    am_word w0, am_word w1, am_word w2, am_word w3) {
  return Call(ep, to, h, data, bytes, 1, w0, w1, w2, w3);
}
constexpr medium mediums[] = {
    {"am_ep_request_medium", am_ep_request_medium},
    {"am_ep_try_request_medium", am_ep_try_request_medium},
    {"am_ep_request_with_room", with_room<&am_ep_request_with_room>},
    {"am_ep_try_request_with_room", with_room<&am_ep_try_request_with_room>}};

void add_room(table& rows, const char* call, decltype(&am_ep_request_with_room) make) {
  for (const std::size_t more : {std::size_t{1}, std::size_t{1} << 60})
    rows.push_back({call, "too much room", AM_ARGUMENT_SIZE,
                    "(try_)?request_with_room: room for an answer of [0-9]+ bytes: it may have "
                    "[0-9]+ at most",
                    [make, more](const place& at) {
                      return make(at.ep, at.next(), registered_handler(), nullptr, 0,
                                  am_ep_max_medium(at.ep) + more, 0, 0, 0, 0);
                    }});
  rows.push_back({call, "no room, which is allowed", AM_OK, "", [make](const place& at) {
                    return make(at.ep, at.next(), registered_handler(), nullptr, 0, 0, 0, 0, 0, 0);
                  }});
}

void add_payloads(table& rows, const medium& of) {
  for (const std::size_t more : {std::size_t{1}, std::size_t{1} << 60})
    rows.push_back({of.call, "too many bytes", AM_ARGUMENT_SIZE,
                    "a medium message of [0-9]+ bytes: at most [0-9]+ fit; send it in pieces",
                    [of, more](const place& at) {
                      return of.make(at.ep, at.next(), registered_handler(), "x",
                                     am_ep_max_medium(at.ep) + more, 0, 0, 0, 0);
                    }});
  rows.push_back({of.call, "all bytes there are", AM_ARGUMENT_SIZE,
                  "a medium message of 18446744073709551615 bytes: at most [0-9]+ fit; .*",
                  [of](const place& at) {
                    return of.make(at.ep, at.next(), registered_handler(), "x", SIZE_MAX, 0, 0, 0,
                                   0);
                  }});
  rows.push_back({of.call, "bytes at a null address", AM_ARGUMENT_ADDRESS,
                  "a medium message of 1 bytes at a null address", [of](const place& at) {
                    return of.make(at.ep, at.next(), registered_handler(), nullptr, 1, 0, 0, 0, 0);
                  }});
  rows.push_back(
      {of.call, "no bytes at a null address, which is allowed", AM_OK, "", [of](const place& at) {
         return of.make(at.ep, at.next(), registered_handler(), nullptr, 0, 0, 0, 0, 0);
       }});
}

}  // namespace

void add_messages(table& rows) {
  for (const form& of : forms) {
    const std::string text = of.text;
    rows.push_back({of.call, "null endpoint", AM_USAGE_LEFT, no_endpoint,
                    [of](const place&) { return of.make(nullptr, 0, registered_handler()); }});
    rows.push_back(
        {of.call, "one rank too far", AM_ARGUMENT_RANK, text + " to rank [0-9]+" + these_ranks,
         [of](const place& at) { return of.make(at.ep, at.ranks, registered_handler()); }});
    rows.push_back(
        {of.call, "rank -1", AM_ARGUMENT_RANK, text + " to rank 4294967295" + these_ranks,
         [of](const place& at) { return of.make(at.ep, ~am_rank{0}, registered_handler()); }});
    rows.push_back({of.call, "no handler", AM_ARGUMENT_HANDLER,
                    text + " without a handler \\(null\\)",
                    [of](const place& at) { return of.make(at.ep, at.next(), nullptr); }});
    rows.push_back(
        {of.call, "an unregistered handler", AM_ARGUMENT_HANDLER, text + no_number,
         [of](const place& at) { return of.make(at.ep, at.next(), unregistered_handler()); }});
  }
  for (const medium& of : mediums) add_payloads(rows, of);
  add_room(rows, "am_ep_request_with_room", am_ep_request_with_room);
  add_room(rows, "am_ep_try_request_with_room", am_ep_try_request_with_room);
}

}  // namespace am_test
