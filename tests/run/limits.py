#!/usr/bin/env python3
"""A machine with limits that are too low: am-run reports once what is needed and allowed, and
ends."""

import os
import re
import resource
import subprocess
import tempfile
import unittest

import harness
from harness import own_lines, run, start, wait_until

UNPRIVILEGED = 65534


def limited(which, count, user=None, hard=None):
    def set_it():
        resource.setrlimit(which, (count, hard or count))
        if user is not None:
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
    return set_it


class Limits(unittest.TestCase):
    def check(self, done, pattern):
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertRegex(done.stderr, f"^am-run: {pattern}\n$")

    def test_too_few_descriptors_are_reported_before_anything_starts(self):
        for ranks, allowed in ((4, 20), (100, 200)):
            done = run("-n", ranks, "sh", "-c", "echo started",
                       preexec_fn=limited(resource.RLIMIT_NOFILE, allowed))
            self.check(done, rf"{ranks} ranks need \d+ descriptors and {allowed} are allowed: "
                             r"raise `ulimit -n`")
            self.assertEqual(done.stdout, "")

    def test_the_reported_need_is_exact(self):
        ranks = 6
        done = run("-n", ranks, harness.HELLO, preexec_fn=limited(resource.RLIMIT_NOFILE, 20))
        needed = int(re.search(r"need (\d+) descriptors", done.stderr)[1])
        self.assertLessEqual(needed, 6 * ranks + 30)
        done = run("-n", ranks, harness.HELLO, preexec_fn=limited(resource.RLIMIT_NOFILE, needed))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_check_reports_the_same(self):
        done = run("-n", 4, "--check", "true", preexec_fn=limited(resource.RLIMIT_NOFILE, 20))
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr, r"check: descriptors: \d+ are needed and 20 allowed: raise `ulimit -n`")

    def too_few_for_a_rank(self):
        messages = set()
        for allowed in range(7, 16):
            done = run("-n", 1, "sh", "-c", f"ulimit -n {allowed}; exec {harness.OTHERS['stress']} --seconds 0")
            if done.returncode == 0:
                break
            self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
            line = done.stderr.splitlines()[0]
            self.assertRegex(line, rf"^stress: .*: {allowed} may be open here: raise `ulimit -n`")
            messages.add(re.sub(r"\d+", "", line))
        self.assertEqual(done.returncode, 0)
        self.assertGreaterEqual(len(messages), 2)

    if "LIBAM_TEST_SANITIZED" not in os.environ:  # sanitizers need descriptors themselves
        test_a_rank_that_has_too_few_says_so = too_few_for_a_rank

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_too_few_processes(self):
        with tempfile.TemporaryDirectory() as tree:
            am_run, = harness.copy_for_everyone(tree, harness.AM_RUN)
            done = subprocess.run([am_run, "-n", "8", "sleep", "60"], cwd="/", text=True, timeout=50,
                                  capture_output=True, stdin=subprocess.DEVNULL,
                                  preexec_fn=limited(resource.RLIMIT_NPROC, 3, UNPRIVILEGED))
        self.check(done, r"cannot start rank \d of 8: fork: Resource temporarily unavailable: "
                         r"raise `ulimit -u`, which is 3, or .*")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_ranks_join_while_others_are_started(self):
        """The kernel limits how many descriptors of a user wait to be received (by the sender's
        soft limit), and each rank sends two: they must not wait for the last rank to start."""
        with tempfile.TemporaryDirectory() as tree:
            am_run, hello = harness.copy_for_everyone(tree, harness.AM_RUN, harness.HELLO)
            done = subprocess.run([am_run, "-n", "60", hello], cwd="/", text=True, timeout=50,
                                  capture_output=True, stdin=subprocess.DEVNULL,
                                  preexec_fn=limited(resource.RLIMIT_NOFILE, 40, UNPRIVILEGED, 4096))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 60)

    def test_no_memory_for_the_job(self):
        done = subprocess.run([harness.OTHERS["test-without-memfd"], harness.AM_RUN, "-n", "4", harness.HELLO], text=True,
                              capture_output=True, timeout=50, env={**os.environ, "AM_SHM_DIR": "/nowhere"})
        self.check(done, r"the job has no memory: .*a file in /nowhere: No such file or directory "
                         r"\(AM_SHM_DIR names another folder\)")

    def test_the_job_s_memory_is_in_the_folder_of_the_setting(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            done = subprocess.run([harness.OTHERS["test-without-memfd"], harness.AM_RUN, "-n", "3",
                                   harness.HELLO], text=True, capture_output=True, timeout=50,
                                  env={**os.environ, "AM_SHM_DIR": folder, "AM_LOG": "info"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"a file without a name in {folder} serves", done.stderr)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    harness.main()
