// Removes rights from this process, as some containers do.
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

// From here on the kernel refuses these calls to this process and its children (EPERM). False if
// the filter could not be installed.
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

// The kernel refuses to copy between processes.
inline bool deny_process_vm() { return deny({SYS_process_vm_readv, SYS_process_vm_writev}); }

// The same without a filter: no other process may read this one, unless it may trace all processes;
// so root gives up its user id.
inline bool be_undumpable() {
  constexpr uid_t unprivileged_uid = 65534;
  if (::geteuid() == 0 && ::setresuid(unprivileged_uid, unprivileged_uid, unprivileged_uid) != 0)
    return false;
  return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

// The kernel refuses memory files.
inline bool deny_memfd() { return deny({SYS_memfd_create}); }

// The kernel refuses process descriptors.
inline bool deny_pidfd() { return deny({SYS_pidfd_open}); }

}  // namespace am_test
