// Takes rights from this process, as some containers do.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace am_test {

// From here on the kernel refuses these calls to this process and to all that it starts (EPERM).
// Says whether that could be arranged.
inline bool deny(std::initializer_list<unsigned> calls) {
  constexpr unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, refuse));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The kernel copies nothing between processes.
inline bool deny_process_vm() { return deny({SYS_process_vm_readv, SYS_process_vm_writev}); }

// The same without a filter: no other process may look into this one, unless it may look into all;
// so root becomes nobody.
inline bool be_undumpable() {
  constexpr uid_t nobody = 65534;
  if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) return false;
  return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

// The kernel gives no memory that is a file without a file system.
inline bool deny_memfd() { return deny({SYS_memfd_create}); }

// The kernel names no process but by its number.
inline bool deny_pidfd() { return deny({SYS_pidfd_open}); }

}  // namespace am_test
