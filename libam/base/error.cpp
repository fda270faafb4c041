// The texts of errors, in buffers that are not allocated, so that an error about memory can be
// reported, too.
#include <libam/base/error.hpp>

#include <libam/base/text.hpp>

#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>

namespace am::detail::base {
namespace {

thread_local char own_buffer[error_line_bytes] = "";

// Set while a module is loaded, before any other code of it runs.
std::atomic<error_buffer_fn*> buffer_of_thread{&thread_error_buffer};

}  // namespace

char* thread_error_buffer() noexcept { return own_buffer; }

void use_error_buffer(error_buffer_fn* there) noexcept { buffer_of_thread = there; }

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
  return "not a status of libam";
}

const char* error_text() noexcept { return buffer_of_thread.load()(); }

am_status fail_formatted(am_status status, fmt::string_view format,
                         fmt::format_args values) noexcept {
  try {
    return fail_with(status, format_args_to_text(format, values));
  } catch (const std::exception&) {
    return fail_with(status, "out of memory for the text of an error");
  }
}

am_status fail_with(am_status status, std::string_view line) noexcept {
  char* const buffer = buffer_of_thread.load()();
  const std::size_t length = fitting_prefix(line, error_line_bytes - 1);
  // The new line may be a part of the old one, hence memmove.
  std::memmove(buffer, line.data(), length);
  buffer[length] = '\0';
  make_one_line(std::span(buffer, length));
  return status;
}

std::string errno_text(int error) {
  rlimit files{};
  if (error != EMFILE || ::getrlimit(RLIMIT_NOFILE, &files) != 0) return std::strerror(error);
  return format("{}: {} may be open here: raise `ulimit -n`", std::strerror(error), files.rlim_cur);
}

}  // namespace am::detail::base
