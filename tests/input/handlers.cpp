// Invalid handlers, and invalid uses of tokens in handlers.
#include "table.hpp"

#include <string>

namespace am_test {

namespace {

void nothing(am_token, const am_word*, const void*, std::size_t) {}
void something(am_token, const am_word*, const void*, std::size_t) {}
am_handler unknown{nothing, "input.unregistered",  "input.unregistered",
                   nullptr, AM_HANDLER_UNNUMBERED, 0};

// As AM_HANDLER, which cannot be used inside namespaces.
struct registered {
  registered(am_handler_fn* fn, const char* name)
      : handler{fn, name, name, nullptr, AM_HANDLER_UNNUMBERED, 0} {
    am_handler_register(&handler);
  }
  am_handler handler;
};
registered nothing_handler(nothing, "input.known");

// The status and text of a handler's reply, and the token that it keeps.
std::string reply_text;
am_status reply_status = AM_OK;
am_token kept{nullptr, 0};
bool has_run = false;
const am_handler* reply_with = nullptr;

int ran(void*) { return has_run ? 1 : 0; }

void reply_badly(am_token token, const am_word*, const void*, std::size_t) {
  reply_status = am_token_reply(token, reply_with, 0, 0, 0, 0);
  reply_text = am_error_text();
  if (reply_status == AM_OK) {
    reply_status = am_token_reply_at(token, registered_handler(), nullptr, 0, 0, 0, 0);
    reply_text = am_error_text();
  }
  kept = token;
  has_run = true;
}
registered reply_badly_handler(reply_badly, "input.reply_badly");

void reply_badly_at(am_token token, const am_word*, const void*, std::size_t) {
  reply_status = am_token_reply_at(token, reply_with, nullptr, 0, 0, 0, 0);
  reply_text = am_error_text();
  has_run = true;
}
registered reply_badly_at_handler(reply_badly_at, "input.reply_badly_at");

const void* reply_data = nullptr;
void* reply_where = nullptr;
std::size_t reply_bytes = 0;

void reply_medium_badly(am_token token, const am_word*, const void*, std::size_t) {
  reply_status = am_token_reply_medium(token, reply_with, reply_data, reply_bytes, 0, 0, 0, 0);
  reply_text = am_error_text();
  has_run = true;
}
registered reply_medium_badly_handler(reply_medium_badly, "input.reply_medium_badly");
void reply_store_badly(am_token token, const am_word*, const void*, std::size_t) {
  reply_status =
      am_token_reply_store(token, reply_where, reply_data, reply_bytes, reply_with, 0, 0, 0, 0);
  reply_text = am_error_text();
  has_run = true;
}
registered reply_store_badly_handler(reply_store_badly, "input.reply_store_badly");

void reply_in_reply_handler(am_token token, const am_word*, const void*, std::size_t) {
  reply_status = am_token_reply(token, registered_handler(), 0, 0, 0, 0);
  reply_text = am_error_text();
  has_run = true;
}
registered reply_in_reply_handler_entry(reply_in_reply_handler, "input.answer_an_answer");
void reply_to_replier(am_token token, const am_word*, const void*, std::size_t) {
  (void)am_token_reply(token, &reply_in_reply_handler_entry.handler, 0, 0, 0, 0);
}
registered reply_to_replier_entry(reply_to_replier, "input.have_it_answered");

// Runs a handler here and returns the status of its reply.
am_status in_handler(const place& at, const am_handler* which, const am_handler* with) {
  has_run = false;
  reply_with = with;
  (void)am_ep_request(at.ep, at.rank, which, 0, 0, 0, 0);
  (void)am_ep_wait(at.ep, ran, nullptr);
  // The text belongs to the thread, and waiting must not change it.
  return reply_text == am_error_text() ? reply_status : AM_ENDPOINT_CORRUPT;
}

// The same for a reply with data.
am_status with_data(const place& at, const am_handler* which, const am_handler* with, void* where,
                    const void* data, std::size_t bytes) {
  reply_where = where;
  reply_data = data;
  reply_bytes = bytes;
  return in_handler(at, which, with);
}

void add_replies_with_data(table& rows) {
  static char here[8];
  const am_handler* const medium = &reply_medium_badly_handler.handler;
  const am_handler* const store = &reply_store_badly_handler.handler;
  const auto past = reinterpret_cast<void*>(~std::uintptr_t{31});
  for (const bool stores : {false, true}) {
    const char* const call = stores ? "am_token_reply_store" : "am_token_reply_medium";
    const am_handler* const which = stores ? store : medium;
    rows.push_back({call, "null endpoint", AM_USAGE_LEFT, no_endpoint, [stores](const place&) {
                      const am_token null_token = {nullptr, 1};
                      return stores ? am_token_reply_store(null_token, here, here, 1,
                                                           registered_handler(), 0, 0, 0, 0)
                                    : am_token_reply_medium(null_token, registered_handler(), here,
                                                            1, 0, 0, 0, 0);
                    }});
    rows.push_back(
        {call, "no handler", AM_ARGUMENT_HANDLER, "a reply without a handler \\(null\\)",
         [which](const place& at) { return with_data(at, which, nullptr, here, here, 1); }});
    rows.push_back({call, "an unregistered handler", AM_ARGUMENT_HANDLER,
                    std::string("a reply") + no_number, [which](const place& at) {
                      return with_data(at, which, unregistered_handler(), here, here, 1);
                    }});
    rows.push_back(
        {call, "a token kept beyond its handler", AM_USAGE_REPLIED,
         "a reply with a stale token: it ended when its handler returned", [stores](const place&) {
           return stores
                      ? am_token_reply_store(kept, here, here, 1, registered_handler(), 0, 0, 0, 0)
                      : am_token_reply_medium(kept, registered_handler(), here, 1, 0, 0, 0, 0);
         }});
    rows.push_back(
        {call, "no bytes at null addresses, which is allowed", AM_OK, "", [which](const place& at) {
           return with_data(at, which, registered_handler(), nullptr, nullptr, 0);
         }});
  }
  rows.push_back({"am_token_reply_medium", "more than there is room for", AM_ARGUMENT_SIZE,
                  "a reply of 1 bytes: its request of rank [0-9]+ has room for 0; .*",
                  [medium](const place& at) {
                    return with_data(at, medium, registered_handler(), nullptr, here, 1);
                  }});
  rows.push_back({"am_token_reply_store", "null here", AM_ARGUMENT_ADDRESS,
                  "a reply of 1 bytes at 0x0: there is no such memory", [store](const place& at) {
                    return with_data(at, store, registered_handler(), here, nullptr, 1);
                  }});
  rows.push_back({"am_token_reply_store", "null there", AM_ARGUMENT_ADDRESS,
                  "a reply of 1 bytes at 0x0 of the requester: there is no such memory",
                  [store](const place& at) {
                    return with_data(at, store, registered_handler(), nullptr, here, 1);
                  }});
  rows.push_back({"am_token_reply_store", "past the end of all addresses there",
                  AM_ARGUMENT_ADDRESS,
                  "a reply of 64 bytes at 0xffffffffffffffe0 of the requester: there is no such "
                  "memory",
                  [store, past](const place& at) {
                    return with_data(at, store, registered_handler(), past, here, 64);
                  }});
  rows.push_back({"am_token_reply_room", "null endpoint", AM_OK, "", [](const place&) {
                    return am_token_reply_room({nullptr, 1}) == 0 ? AM_OK : AM_ENDPOINT_CORRUPT;
                  }});
  rows.push_back(
      {"am_token_reply_room", "a token kept beyond its handler", AM_OK, "",
       [](const place&) { return am_token_reply_room(kept) == 0 ? AM_OK : AM_ENDPOINT_CORRUPT; }});
}

void add_replies(table& rows) {
  const char* call = "am_token_reply";
  rows.push_back({call, "null endpoint", AM_USAGE_LEFT, no_endpoint, [](const place&) {
                    return am_token_reply({nullptr, 1}, registered_handler(), 0, 0, 0, 0);
                  }});
  rows.push_back(
      {"am_token_reply_at", "null endpoint", AM_USAGE_LEFT, no_endpoint, [](const place&) {
         return am_token_reply_at({nullptr, 1}, registered_handler(), nullptr, 0, 0, 0, 0);
       }});
  rows.push_back(
      {call, "no handler", AM_ARGUMENT_HANDLER, "a reply without a handler \\(null\\)",
       [](const place& at) { return in_handler(at, &reply_badly_handler.handler, nullptr); }});
  rows.push_back({"am_token_reply_at", "no handler", AM_ARGUMENT_HANDLER,
                  "a reply without a handler \\(null\\)", [](const place& at) {
                    return in_handler(at, &reply_badly_at_handler.handler, nullptr);
                  }});
  rows.push_back({call, "an unregistered handler", AM_ARGUMENT_HANDLER,
                  std::string("a reply") + no_number, [](const place& at) {
                    return in_handler(at, &reply_badly_handler.handler, unregistered_handler());
                  }});
  rows.push_back({"am_token_reply_at", "the second reply", AM_USAGE_REPLIED,
                  "handler input.reply_badly has replied already: it may reply once",
                  [](const place& at) {
                    return in_handler(at, &reply_badly_handler.handler, registered_handler());
                  }});
  rows.push_back(
      {call, "a token kept beyond its handler", AM_USAGE_REPLIED,
       "a reply with a stale token: it ended when its handler returned",
       [](const place&) { return am_token_reply(kept, registered_handler(), 0, 0, 0, 0); }});
  rows.push_back({"am_token_reply_at", "a token kept beyond its handler", AM_USAGE_REPLIED,
                  "a reply with a stale token: it ended when its handler returned",
                  [](const place&) {
                    return am_token_reply_at(kept, registered_handler(), nullptr, 0, 0, 0, 0);
                  }});
  rows.push_back({call, "of no message that there was", AM_USAGE_REPLIED,
                  "a reply with a stale token: .*", [](const place& at) {
                    return am_token_reply({at.ep, ~0ULL}, registered_handler(), 0, 0, 0, 0);
                  }});
  rows.push_back(
      {call, "an answer to an answer", AM_USAGE_IN_HANDLER,
       "input.answer_an_answer runs as a reply handler: a reply cannot be answered",
       [](const place& at) { return in_handler(at, &reply_to_replier_entry.handler, nullptr); }});
  rows.push_back({"am_token_source", "null endpoint", AM_OK, "", [](const place&) {
                    return as_status(am_token_source({nullptr, 0}) == 0);
                  }});
  rows.push_back({"am_token_endpoint", "null endpoint", AM_OK, "", [](const place&) {
                    return as_status(am_token_endpoint({nullptr, 0}) == nullptr);
                  }});
}

// update_handlers with these handlers registered, and once more without them.
am_status updated_with(const place& at, am_handler* first, am_handler* second) {
  am_handler_register(first);
  am_handler_register(second);
  const am_status status = am_ep_update_handlers(at.ep);
  const std::string line = am_error_text();
  am_handler_unregister(first);
  am_handler_unregister(second);
  if (am_ep_update_handlers(at.ep) != AM_OK) return AM_ENDPOINT_CORRUPT;
  return line == am_error_text() ? status : AM_ENDPOINT_CORRUPT;
}

am_handler handler(am_handler_fn* fn, const char* name) {
  return {fn, name, name, nullptr, AM_HANDLER_UNNUMBERED, 0};
}

void add_registrations(table& rows) {
  rows.push_back({"am_handler_register", "none", AM_OK, "",
                  [](const place&) { return am_handler_register(nullptr), AM_OK; }});
  rows.push_back(
      {"am_handler_unregister", "none, and one that is in no list", AM_OK, "", [](const place&) {
         am_handler_unregister(nullptr);
         return am_handler_unregister(&unknown), AM_OK;
       }});
  rows.push_back({"am_handler_register", "the same twice, which is as good as once", AM_OK, "",
                  [](const place& at) {
                    static am_handler once = handler(nothing, "input.once");
                    return updated_with(at, &once, &once);
                  }});
  rows.push_back({"am_handler_register", "a label that is null", AM_OK, "", [](const place& at) {
                    static am_handler plain = handler(nothing, "input.plain");
                    plain.label = nullptr;
                    return updated_with(at, &plain, &plain);
                  }});
  rows.push_back({"am_ep_update_handlers", "a handler without a function", AM_ARGUMENT_HANDLER,
                  "handler input.empty has no function \\(null\\)", [](const place& at) {
                    static am_handler empty = handler(nullptr, "input.empty");
                    return updated_with(at, &empty, &empty);
                  }});
  rows.push_back({"am_ep_update_handlers", "two of one name, which is odd", AM_ARGUMENT_HANDLER,
                  "two handlers are named \"input\\?two\": .* and .*; give each its own name",
                  [](const place& at) {
                    static am_handler one = handler(nothing, "input\ntwo");
                    static am_handler two = handler(something, "input\ntwo");
                    return updated_with(at, &one, &two);
                  }});
}

}  // namespace

const am_handler* unregistered_handler() { return &unknown; }
const am_handler* registered_handler() { return &nothing_handler.handler; }

void add_handlers_and_tokens(table& rows) {
  add_replies(rows);
  add_replies_with_data(rows);
  add_registrations(rows);
}

}  // namespace am_test
