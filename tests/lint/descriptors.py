#!/usr/bin/env python3
"""Every descriptor that libam makes or receives goes at once into a base::fd, which keeps the
numbers of the standard streams free. A call that makes one is an argument of an fd; calls that make
two, or pass them in a message, are listed here with the reason."""

import re

import lint

MAKERS = ("accept4?|creat|dup[23]?|epoll_create1?|eventfd|fanotify_init|inotify_init1?|io_uring_setup|"
          "kqueue|memfd_create|memfd_secret|mko?stemps?|open|openat2?|pidfd_getfd|pidfd_open|pipe2?|recvmm?sg|"
          "shm_open|signalfd|socket|socketpair|timerfd_create|userfaultfd")
CALL = re.compile(rf"(?:::\s*(?:{MAKERS})\s*\(|\bSYS_(?:{MAKERS})\b|\bF_DUPFD(?:_CLOEXEC)?\b|"
                  r"\bucp_worker_get_efd\b)")
FD = re.compile(r"\bfd(?:\s+\w+)?\s*$")
COMMENT = re.compile(r"//.*")
QUALIFIED = re.compile(r"[\w>]\s*$")  # a function of a class: door::open(
ELSEWHERE = {
    "libam/base/checked_copy.cpp: pipe2": "both ends into an fd in the next lines",
    "libam/base/fd.cpp: F_DUPFD_CLOEXEC": "the fd's own",
    "libam/base/standard_stream_guard.cpp: open": "takes the streams' numbers, that others do not",
    "libam/base/descriptor_passing.cpp: recvmsg": "each into an fd below",
    "libam/boot/run/handshake.cpp: socketpair": "both ends into an fd in the next lines",
    "libam/tools/am-run/remote/agent.cpp: dup2": "its own streams, and that of rank 0",
    "libam/tools/am-run/remote/remote_shell.cpp: dup2": "the streams of the command",
    "libam/tools/am-run/ranks/launch.cpp: dup2": "the streams of a rank that is started",
    "libam/tools/am-run/main.cpp: open": "opens the streams",
    "libam/tools/am-run/streams/pipes.hpp: pipe2": "both ends into an fd in the next lines",
    "libam/tools/am-run/ranks/rank_server.cpp: socketpair": "both ends into an fd in the next lines",
    "transports/pipe/pipe.cpp: pipe2": "both ends into an fd of what is made in the next line",
    "transports/tcp/link/tcp_link.cpp: recvmsg": "has no room for descriptors, and the kernel closes them",
    "transports/ucx/engine.cpp: ucp_worker_get_efd": "UCX's, which closes it",
}



def is_owned(before):
    """Whether an open parenthesis at the end of this text belongs to an fd."""
    closed = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] == ";":
            return False
        closed += (before[at] == ")") - (before[at] == "(")
        if closed < 0:
            closed = 0
            if FD.search(before[:at]):
                return True
    return False


faults, found, used = [], 0, set()
for path in lint.files(".cpp", ".hpp", under=("libam", "transports", "mpidial")):
    text = "\n".join(COMMENT.sub("", line) for line in (lint.ROOT / path).read_text().splitlines())
    for call in CALL.finditer(text):
        before = text[: call.start()]
        if call[0].startswith("::") and QUALIFIED.search(before) and not before.endswith("return "):
            continue
        found += 1
        if is_owned(before):
            continue
        key = f"{path}: {call[0].strip(':( ').removeprefix('SYS_')}"
        used.add(key)
        if key not in ELSEWHERE:
            line = before.count("\n") + 1
            faults.append(f"{path}:{line}: {call[0]}: its result does not go into a base::fd at once")
faults += [f"{key}: is listed in {__file__} and does not occur" for key in ELSEWHERE if key not in used]
lint.finish(found, "calls that make descriptors", faults)
