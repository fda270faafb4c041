"""Jobs over several hosts. All are this machine: the command of AM_RSH drops the name of the host
and runs the rest here, as root in a namespace where the host has that name."""

import contextlib
import os
import pathlib
import tempfile
import unittest

import harness
from harness import alive, own_lines, wait_until

RSH = """#!/bin/sh
host=$1
shift
if [ "$(id -u)" = 0 ] && unshare --uts true 2>/dev/null; then
  exec unshare --uts sh -c 'hostname "$0"; exec sh -c "exec $*"' "$host" "$@"
fi
exec sh -c "exec $*"
"""
LINE = r"am-run: rank {} \(pid \d+, host {}\) {}"


def ancestors(pid):
    while pid > 1:
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        yield pid


def as_a_shell_would():
    """In a process group of its own: SIGTSTP does not stop an orphaned one."""
    os.setpgid(0, 0)


class SeveralHosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.env = {"AM_RSH": self.script("rsh", RSH)}
        self.before = set(harness.descendants(os.getpid()))

    def tearDown(self):
        left = [pid for pid in harness.descendants(os.getpid()) if pid not in self.before]
        self.assertTrue(wait_until(lambda: not any(map(alive, left)), 5))

    def script(self, name, text):
        made = self.folder / name
        made.write_text(text)
        made.chmod(0o755)
        return str(made)

    def run_on(self, hosts, *words, env=None, **settings):
        return harness.run("--hosts", hosts, *words, env={**self.env, **(env or {})}, **settings)

    def start_on(self, hosts, *words, **settings):
        job = harness.start("--hosts", hosts, *words, env={**os.environ, **self.env}, **settings)
        self.addCleanup(harness.finish, job)
        return job

    def check(self, done, status, *patterns):
        """The status, and am-run's own lines."""
        self.assertEqual(done.returncode, status, done.stderr)
        lines = own_lines(done.stderr)
        self.assertEqual(len(lines), len(patterns), done.stderr)
        for line, pattern in zip(lines, patterns):
            self.assertRegex(line, f"^{pattern}$")

    def agents(self, job):
        """The processes of agents below `job`, by their host."""
        found = {}
        for pid in harness.descendants(job.pid):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if words[1:2] == [b"--agent"]:
                    found[pid] = words
        return found

    def agent_of(self, rank, pids):
        """The agent that has started this one of the ranks `pids`."""
        name = f"AM_JOB_RANK={rank}".encode()
        pid = next(pid for pid in pids
                   if name in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"))
        return next(ancestors(pid))
