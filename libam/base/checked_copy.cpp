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

using transfer = ssize_t(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                         unsigned long);

using probe = bool(std::byte*);

bool can_be_read(std::byte* here) noexcept {
  std::byte read{};
  const iovec to{&read, 1};
  const iovec from{here, 1};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 1;
}

bool can_be_written(std::byte* here) noexcept {
  const auto in_word = reinterpret_cast<std::uintptr_t>(here) % sizeof(std::uint32_t);
  return word_can_be_written(here - in_word);
}

// A call may move fewer bytes than asked for: at most 2 GiB, and none from the first bad page on.
// So where one moves none, it is the first byte that has no page.
copied move_all(transfer& move, probe& good_here, pid_t pid, std::byte* here, std::byte* there,
                std::size_t bytes) noexcept {
  while (bytes != 0) {
    const iovec local{here, bytes};
    const iovec remote{there, bytes};
    const ssize_t moved = move(pid, &local, 1, &remote, 1, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && errno != EFAULT) return copied::forbidden;
    if (moved <= 0) return good_here(here) ? copied::bad_there : copied::bad_here;
    here += moved;
    there += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return copied::all;
}

// Through a pipe: needs no right but that to a descriptor.
copied copy_by_pipe(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t room = 65536;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return copied::forbidden;
  const fd out(ends[0]);
  const fd in(ends[1]);
  while (bytes != 0) {
    const ssize_t put = ::write(in.get(), from, std::min(bytes, room));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return copied::bad_here;
    for (ssize_t got = 0; got < put;) {
      const ssize_t now = ::read(out.get(), to + got, static_cast<std::size_t>(put - got));
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return copied::bad_there;
      got += now;
    }
    from += put;
    to += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return copied::all;
}

std::byte* bytes_at(const void* address) noexcept {
  return const_cast<std::byte*>(static_cast<const std::byte*>(address));
}

}  // namespace

// The kernel adds nothing to it, atomically.
bool word_can_be_written(void* word) noexcept {
  std::uint32_t nobody_waits_here = 0;
  return ::syscall(SYS_futex, &nobody_waits_here, FUTEX_WAKE_OP_PRIVATE, 0, nullptr, word,
                   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

copied copy_to_process(pid_t pid, void* there, const void* here, std::size_t bytes) noexcept {
  return move_all(::process_vm_writev, can_be_read, pid, bytes_at(here), bytes_at(there), bytes);
}

copied copy_from_process(pid_t pid, void* here, const void* there, std::size_t bytes) noexcept {
  return move_all(::process_vm_readv, can_be_written, pid, bytes_at(here), bytes_at(there), bytes);
}

copied copy_checked(void* to, const void* from, std::size_t bytes) noexcept {
  const copied done = copy_to_process(::getpid(), to, from, bytes);
  if (done != copied::forbidden) return done;
  return copy_by_pipe(bytes_at(to), bytes_at(from), bytes);
}

}  // namespace am::detail::base
