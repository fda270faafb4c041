#!/usr/bin/env python3
"""Jobs in namespaces, and jobs whose ranks are in different ones, or of different users: they work,
by the paths that are available."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import harness
from harness import own_lines, run

# The flags that make it possible for every user; each kind is tried together with them.
USER = ["unshare", "-U", "-r"]
KINDS = {"user": [], "pid": ["-p", "-f"], "ipc": ["-i"], "net": ["-n"], "uts": ["-u"],
         "all": ["-p", "-f", "-i", "-n", "-u", "-m"]}


def possible(flags):
    return subprocess.run([*USER, *flags, "true"], capture_output=True).returncode == 0


def mover():
    return harness.OTHERS["am_run_mover"]


class Namespaces(unittest.TestCase):
    def each(self):
        for kind, flags in KINDS.items():
            with self.subTest(kind=kind):
                if not possible(flags):
                    self.skipTest(f"no {kind} namespace here")
                yield [*USER, *flags]

    def check(self, done):
        self.assertEqual((done.returncode, done.stdout), (0, "moved\n"), done.stderr)
        self.assertEqual(own_lines(done.stderr), [])
        self.assertNotRegex(done.stderr, r"am\[\d+\]: (warn|error)")

    def test_a_job_in_one_namespace(self):
        for wrapper in self.each():
            self.check(subprocess.run([*wrapper, harness.AM_RUN, "-n", "3", mover()], text=True,
                                      capture_output=True, timeout=50))

    def test_each_rank_in_its_own_namespace(self):
        for wrapper in self.each():
            self.check(run("-n", 3, *wrapper, mover()))

    def test_one_rank_in_another_namespace(self):
        for wrapper in self.each():
            script = f'[ $AM_JOB_RANK = 1 ] && exec {" ".join(wrapper)} {mover()}; exec {mover()}'
            self.check(run("-n", 3, "sh", "-c", script))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can")
    def test_ranks_of_other_users(self):
        unprivileged = "setpriv --reuid 65534 --clear-groups"
        with tempfile.TemporaryDirectory() as tree:
            am_run, moving = harness.copy_for_everyone(tree, harness.AM_RUN, mover())
            script = f'[ $AM_JOB_RANK = 1 ] && exec {unprivileged} {moving}; exec {moving}'
            self.check(run("-n", 3, "sh", "-c", script))
            self.check(subprocess.run([*unprivileged.split(), am_run, "-n", "3", moving], text=True,
                                      capture_output=True, timeout=50, cwd="/"))

    def test_an_unreadable_rank_reports_it_at_level_info(self):
        if not possible(KINDS["pid"]):
            self.skipTest("no pid namespace here")
        done = run("-n", 2, *USER, "-p", "-f", mover(), env={"AM_LOG": "info"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("cannot be read from here: bulk data outside segments goes in pieces",
                      done.stderr)

    def test_a_death_in_a_namespace_is_reported(self):
        if not possible(KINDS["pid"]):
            self.skipTest("no pid namespace here")
        done = run("-n", 2, *USER, "-p", "-f", harness.MEMBER, "exit", 1)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"am-run: rank 1 \(.*\) died first: it ended without")

    def test_a_host_without_a_name_that_resolves(self):
        """No DNS, no /etc/hosts, and an unknown host name."""
        if not possible(["-u", "-m", "-n"]):
            self.skipTest("no namespaces here")
        script = f"""
            hostname no-such-host.invalid
            for file in hosts resolv.conf nsswitch.conf; do
              [ ! -e /etc/$file ] || mount --bind /dev/null "$(readlink -f /etc/$file)"
            done
            exec {harness.AM_RUN} -n 3 "$@" """
        wrapper = [*USER, "-u", "-m", "-n", "sh", "-ec", script, "sh"]
        self.check(subprocess.run([*wrapper, mover()], text=True, capture_output=True, timeout=50))
        died = subprocess.run([*wrapper, harness.MEMBER, "kill", "1"], text=True, capture_output=True,
                              timeout=50)
        self.assertTrue(re.search(r"host no-such-host.invalid\) died first: SIGKILL", died.stderr))


if __name__ == "__main__":
    harness.main()
