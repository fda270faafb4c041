#include <libam/core/handlers.hpp>

#include <libam/base/error.hpp>
#include <libam/base/hash.hpp>
#include <libam/core/module_key.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace am::detail::core {

namespace {

// Handlers register before main and unregister after it, so this is made at first use and never
// destroyed.
struct registry {
  std::mutex mutex;
  am_handler last{};  // ends the list: a handler whose `next` is null is in no list
  am_handler* first = &last;
  std::map<std::string, std::uint32_t> numbers;
};

constexpr std::uint32_t known_flags = AM_HANDLER_OF_LIBRARY;

// Distinguishes explicit names from places in files.
constexpr std::string_view name_prefix = "name:";

registry& the_registry() noexcept {
  static registry& instance = *new registry;
  return instance;
}

bool is_listed(const registry& all, const am_handler* handler) noexcept {
  const am_handler* at = all.first;
  while (at != &all.last && at != handler) at = at->next;
  return at == handler;
}

}  // namespace

void register_handler(am_handler* handler) noexcept {
  registry& all = the_registry();
  const std::lock_guard lock(all.mutex);
  if (handler->next != nullptr && is_listed(all, handler)) return;
  if (handler->label == nullptr) handler->label = handler->name != nullptr ? handler->name : "?";
  handler->next = all.first;
  all.first = handler;
}

void unregister_handler(am_handler* handler) noexcept {
  registry& all = the_registry();
  const std::lock_guard lock(all.mutex);
  for (am_handler** at = &all.first; *at != &all.last; at = &(*at)->next) {
    if (*at != handler) continue;
    *at = std::exchange(handler->next, nullptr);
    handler->id = AM_HANDLER_UNNUMBERED;
    return;
  }
}

am_status refuse_handler(const char* call, const am_handler* handler) noexcept {
  if (handler == nullptr)
    return base::fail(AM_ARGUMENT_HANDLER, "{} without a handler (null)", call);
  return base::fail(
      AM_ARGUMENT_HANDLER,
      "{}: handler {} has no number: it is not registered, or was registered after the "
      "join: call update_handlers on all ranks",
      call, handler->label != nullptr ? handler->label : "?");
}

am_status list_handlers(std::vector<handler_key>& out) {
  registry& all = the_registry();
  const std::lock_guard lock(all.mutex);
  out.clear();
  for (am_handler* handler = all.first; handler != &all.last; handler = handler->next) {
    if (handler->fn == nullptr)
      return base::fail(AM_ARGUMENT_HANDLER, "handler {} has no function (null)", handler->label);
    if ((handler->flags & ~known_flags) != 0)
      return base::fail(AM_ARGUMENT_HANDLER, "handler {} has flags {:#x}: known are {:#x}",
                        handler->label, handler->flags, known_flags);
    out.push_back(
        {handler->name != nullptr ? std::string(name_prefix) + handler->name : module_key(handler),
         handler});
  }
  std::sort(out.begin(), out.end(),
            [](const handler_key& a, const handler_key& b) { return a.key < b.key; });
  const auto twin = std::adjacent_find(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.key == b.key && a.handler->fn != b.handler->fn;
  });
  if (twin != out.end())
    return base::fail(
        AM_ARGUMENT_HANDLER, "two handlers are named \"{}\": {} and {}; give each its own name",
        twin->handler->name, module_key(twin->handler), module_key((twin + 1)->handler));
  return AM_OK;
}

std::uint64_t digest(const std::vector<handler_key>& handlers) noexcept {
  std::uint64_t hash = base::empty_hash;
  for (const handler_key& handler : handlers)
    hash = base::hash_of({handler.key.c_str(), handler.key.size() + 1}, hash);
  return hash;
}

std::vector<std::byte> encode_keys(const std::vector<handler_key>& handlers) {
  std::vector<std::byte> blob;
  for (const handler_key& handler : handlers) {
    const auto* bytes = reinterpret_cast<const std::byte*>(handler.key.c_str());
    blob.insert(blob.end(), bytes, bytes + handler.key.size() + 1);
  }
  return blob;
}

std::vector<std::string> decode_keys(std::span<const std::byte> blob) {
  std::vector<std::string> keys;
  std::string key;
  for (const std::byte b : blob) {
    if (b == std::byte{0})
      keys.push_back(std::exchange(key, {}));
    else
      key.push_back(static_cast<char>(b));
  }
  return keys;
}

am_status number_handlers(const std::vector<handler_key>& ours,
                          const std::vector<std::string>& job_keys, am_handler_fn* missing,
                          std::vector<seam::inbox::entry>& table) {
  registry& all = the_registry();
  const std::lock_guard lock(all.mutex);
  for (const std::string& key : job_keys)
    all.numbers.try_emplace(key, static_cast<std::uint32_t>(all.numbers.size()));
  if (all.numbers.size() > most_handlers)
    return base::fail(AM_ARGUMENT_HANDLER,
                      "this job has {} handlers, and at most {} can be numbered: register fewer",
                      all.numbers.size(), most_handlers);
  table.assign(all.numbers.size() + 1, {missing, "an unknown handler"});
  // Labels of handlers that only other ranks have; keys live as long as the numbers do.
  for (const auto& [key, id] : all.numbers)
    table[id].label = key.c_str() + (key.starts_with(name_prefix) ? name_prefix.size() : 0);
  for (const handler_key& mine : ours) {
    const std::uint32_t id = all.numbers.at(mine.key);
    table[id] = {mine.handler->fn, mine.handler->label, mine.handler->flags};
    if (mine.handler->id != id) mine.handler->id = id;
  }
  return AM_OK;
}

void clear_handler_numbers() noexcept {
  registry& all = the_registry();
  const std::lock_guard lock(all.mutex);
  all.numbers.clear();
}

}  // namespace am::detail::core
