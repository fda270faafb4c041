#include <libam/base/checked_copy.hpp>

#include <libam/base/fd.hpp>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace am::detail::base {
namespace {

using vm_copy_fn = ssize_t(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                           unsigned long);

using probe = bool(std::byte*);

bool is_readable(std::byte* here) noexcept {
  std::byte read{};
  const iovec to{&read, 1};
  const iovec from{here, 1};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 1;
}

bool is_writable(std::byte* here) noexcept {
  const auto in_word = reinterpret_cast<std::uintptr_t>(here) % sizeof(std::uint32_t);
  return is_word_writable(here - in_word);
}

// A call may move fewer bytes than requested: at most 2 GiB, and none from the first bad page on.
// So where one moves none, the first byte has no page.
copy_status move_all(vm_copy_fn& move, probe& is_local_mapped, pid_t pid, std::byte* here,
                     std::byte* there, std::size_t bytes) noexcept {
  while (bytes != 0) {
    const iovec local{here, bytes};
    const iovec remote{there, bytes};
    const ssize_t moved = move(pid, &local, 1, &remote, 1, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && errno != EFAULT) return copy_status::forbidden;
    if (moved <= 0)
      return is_local_mapped(here) ? copy_status::bad_remote_address
                                   : copy_status::bad_local_address;
    here += moved;
    there += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return copy_status::all;
}

// Through a pipe, which needs no permission, only descriptors.
copy_status copy_by_pipe(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t room = 65536;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return copy_status::forbidden;
  const fd out(ends[0]);
  const fd in(ends[1]);
  while (bytes != 0) {
    const ssize_t put = ::write(in.get(), from, std::min(bytes, room));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return copy_status::bad_local_address;
    for (ssize_t got = 0; got < put;) {
      const ssize_t now = ::read(out.get(), to + got, static_cast<std::size_t>(put - got));
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return copy_status::bad_remote_address;
      got += now;
    }
    from += put;
    to += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return copy_status::all;
}

std::byte* bytes_at(const void* address) noexcept {
  return const_cast<std::byte*>(static_cast<const std::byte*>(address));
}

}  // namespace

// Lets the kernel add 0 to it, atomically.
bool is_word_writable(void* word) noexcept {
  std::uint32_t no_waiters = 0;
  return ::syscall(SYS_futex, &no_waiters, FUTEX_WAKE_OP_PRIVATE, 0, nullptr, word,
                   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

copy_status copy_to_process(pid_t pid, void* there, const void* here, std::size_t bytes) noexcept {
  return move_all(::process_vm_writev, is_readable, pid, bytes_at(here), bytes_at(there), bytes);
}

copy_status copy_from_process(pid_t pid, void* here, const void* there,
                              std::size_t bytes) noexcept {
  return move_all(::process_vm_readv, is_writable, pid, bytes_at(here), bytes_at(there), bytes);
}

copy_status copy_checked(void* to, const void* from, std::size_t bytes) noexcept {
  const copy_status done = copy_to_process(::getpid(), to, from, bytes);
  if (done != copy_status::forbidden) return done;
  return copy_by_pipe(bytes_at(to), bytes_at(from), bytes);
}

}  // namespace am::detail::base
