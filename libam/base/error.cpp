// The thread's line, kept without allocating: an error about memory must be tellable too.
#include <libam/base/error.hpp>
#include <libam/base/one_line.hpp>

#include <atomic>
#include <cstring>
#include <span>

namespace am::detail::base {
namespace {

thread_local char own_line[line_bytes] = "";

// Changed while a module is loaded, before anything else of it runs.
std::atomic<thread_line*> lines{&line_of_thread};

}  // namespace

char* line_of_thread() noexcept { return own_line; }

void keep_lines_in(thread_line* there) noexcept { lines = there; }

const char* status_text(am_status status) noexcept {
  switch (status) {
    case AM_OK: return "ok";
    case AM_AGAIN_CREDIT: return "again(credit)";
    case AM_AGAIN_PAYLOAD: return "again(payload room)";
    case AM_AGAIN_CONNECTING: return "again(connecting)";
    case AM_AGAIN_QUEUE: return "again(queue)";
    case AM_AGAIN_TIME: return "again(time)";
    case AM_USAGE_IN_HANDLER: return "usage(in_handler)";
    case AM_USAGE_REPLIED: return "usage(replied)";
    case AM_USAGE_OTHER_THREAD: return "usage(other thread)";
    case AM_USAGE_LEFT: return "usage(left)";
    case AM_USAGE_FORKED: return "usage(forked)";
    case AM_ARGUMENT_RANK: return "argument(rank)";
    case AM_ARGUMENT_HANDLER: return "argument(handler)";
    case AM_ARGUMENT_SIZE: return "argument(size)";
    case AM_ARGUMENT_ADDRESS: return "argument(address)";
    case AM_ARGUMENT_SEGMENT: return "argument(segment)";
    case AM_ARGUMENT_SETTING: return "argument(setting)";
    case AM_PEER_DEAD: return "peer(dead)";
    case AM_PEER_LOST: return "peer(lost)";
    case AM_PEER_REFUSED: return "peer(refused)";
    case AM_PEER_UNREACHABLE: return "peer(unreachable)";
    case AM_RESOURCE_MEMORY: return "resource(memory)";
    case AM_RESOURCE_DESCRIPTORS: return "resource(descriptors)";
    case AM_RESOURCE_SPACE: return "resource(space)";
    case AM_ENDPOINT_CLOSED: return "endpoint(closed)";
    case AM_ENDPOINT_CORRUPT: return "endpoint(corrupt)";
  }
  return "no status of libam";
}

const char* error_text() noexcept { return lines.load()(); }

am_status fail_formatted(am_status status, fmt::string_view format,
                         fmt::format_args values) noexcept {
  try {
    return fail_with(status, format_packed(format, values));
  } catch (const std::exception&) {
    return fail_with(status, "out of memory for the text of an error");
  }
}

am_status fail_with(am_status status, std::string_view line) noexcept {
  char* const kept = lines.load()();
  const std::size_t length = cut(line, line_bytes - 1);
  // The new line may have been made of the old one.
  std::memmove(kept, line.data(), length);
  kept[length] = '\0';
  make_one_line(std::span(kept, length));
  return status;
}

}  // namespace am::detail::base
