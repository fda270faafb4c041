#!/usr/bin/env python3
"""How jobs of libam programs end: in order, by a death, by a signal, with am-run itself."""

import os
import signal
import subprocess
import time
import unittest

import harness
from harness import alive, read_pids, run, start, wait_until

LINE = r"am-run: rank {} \(pid \d+, host \S+\) {}\n"


def member(ranks, *what, **settings):
    return run("-n", ranks, harness.MEMBER, *what, **settings)


class Ends(unittest.TestCase):
    def check(self, done, status, line):
        self.assertEqual(done.returncode, status, done.stderr)
        own = "".join(each for each in done.stderr.splitlines(True) if each.startswith("am-run: "))
        self.assertRegex(own, "^" + line + "$")

    def test_hello(self):
        done = run("-n", 4, harness.HELLO)
        self.check(done, 0, "")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         [f"hello from rank {r} of 4" for r in range(4)])

    def test_64_ranks(self):
        done = run("-n", 64, harness.HELLO)
        self.check(done, 0, "")
        self.assertEqual(len(set(done.stdout.splitlines())), 64)

    def test_join_leave_and_join_again(self):
        self.check(member(3, "again", 20), 0, "")

    def test_a_killed_rank_is_named_and_ends_the_job(self):
        self.check(member(4, "kill", 3), 137, LINE.format(3, "died first: SIGKILL"))

    def test_an_exit_without_leaving_is_a_death(self):
        for how in ("exit", "std-exit"):
            with self.subTest(how=how):
                self.check(member(3, how, 1), 1, LINE.format(
                    1, "died first: it ended without closing its endpoint"))

    def test_an_exit_closes_a_static_endpoint(self):
        self.check(member(3, "static-exit", 1), 0, "")

    def test_an_exception_that_leaves_the_endpoint_s_block_does_not_wait(self):
        self.check(member(3, "throw", 2), 1, LINE.format(
            2, "died first: it gave up its endpoint without closing it, .*"))

    def test_a_death_is_noticed_though_a_child_of_the_dead_rank_runs_behind_a_wrapper(self):
        began = time.monotonic()
        done = run("-n", 3, "sh", "-c", f"{harness.MEMBER} fork-and-die 1; sleep 60")
        self.assertLess(time.monotonic() - began, 30)
        self.check(done, 1, LINE.format(
            1, "died first: it ended without closing its endpoint"))

    def test_an_exit_without_leaving_of_a_single_rank_is_none(self):
        self.check(member(1, "exit", 0), 0, "")

    def test_an_abandoned_endpoint_is_a_death(self):
        self.check(member(3, "abandon", 2), 1, LINE.format(
            2, "died first: it gave up its endpoint without closing it, .*"))

    def test_a_rank_that_never_joins_is_a_death(self):
        self.check(member(3, "but", 1), 1, LINE.format(
            1, r"died first: it ended without joining, and rank \d waits for it"))
        self.check(member(3, "twice-but", 0), 1, LINE.format(
            0, r"died first: it ended without joining, and rank \d waits for it"))

    def test_an_abort_has_its_status_and_output(self):
        done = member(3, "abort", 1, 42)
        self.check(done, 42, LINE.format(1, "ended the job with status 42.*"))
        self.assertEqual(done.stdout, "last words")

    def test_a_status_after_leaving_is_kept_and_ends_no_rank(self):
        self.check(member(3, "fail", 2, 9), 9, LINE.format(
            2, "had left the job and ended with exit status 9"))

    def test_signals_end_the_job(self):
        harness.check_that_signals_end(self, lambda: start("-n", 3, harness.MEMBER, "wait"))

    def test_a_rank_that_ignores_signals_is_killed(self):
        job = start("-n", 2, "sh", "-c", 'trap "" TERM INT; echo ready >&2; sleep 60; sleep 60')
        self.assertEqual([job.stderr.readline() for _ in range(2)], ["ready\n"] * 2)
        job.terminate()
        job.communicate(timeout=30)
        self.assertEqual(job.returncode, 143)

    def test_a_signal_that_ranks_handle_is_no_failure(self):
        job = start("-n", 2, "sh", "-c", 'trap "exit 0" TERM; echo ready >&2; sleep 60 & wait')
        self.assertEqual([job.stderr.readline() for _ in range(2)], ["ready\n"] * 2)
        job.terminate()
        job.communicate(timeout=30)
        self.assertEqual(job.returncode, 0)

    def test_ignored_signals_stay_ignored(self):
        job = subprocess.Popen(["nohup", harness.AM_RUN, "-n", "1", "sh", "-c",
                                "echo ready; read line"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.assertEqual(job.stdout.readline(), b"ready\n")
        job.send_signal(signal.SIGHUP)
        job.communicate(b"go on\n", timeout=30)
        self.assertEqual(job.returncode, 0)

    def test_the_death_of_am_run_ends_every_rank_within_a_second(self):
        job = start("-n", 4, harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 4)
        self.assertTrue(all(map(alive, pids)))
        job.kill()
        self.assertTrue(wait_until(lambda: not any(map(alive, pids)), 1))
        job.communicate()

    def test_the_death_of_am_run_ends_ranks_that_are_not_its_children(self):
        job = start("-n", 2, "sh", "-c", f"{harness.MEMBER} wait; echo after")
        pids = read_pids(job.stderr, 2)
        self.assertTrue(all(map(alive, pids)))
        job.kill()
        self.assertTrue(wait_until(lambda: not any(map(alive, pids)), 1))
        job.communicate()

    def test_nothing_is_left_behind(self):
        job = start("-n", 2, "sh", "-c", f"{harness.MEMBER} wait; exit 1")
        pids = read_pids(job.stderr, 2)
        os.kill(pids[0], signal.SIGKILL)
        job.communicate(timeout=30)
        self.assertFalse(any(map(alive, pids)))
        self.assertNotEqual(job.returncode, 0)

    def test_a_stopped_rank_ends_too(self):
        job = start("-n", 3, harness.MEMBER, "wait")
        pids = read_pids(job.stderr, 3)
        os.kill(pids[0], signal.SIGSTOP)
        os.kill(pids[1], signal.SIGKILL)
        job.communicate(timeout=30)
        self.assertEqual(job.returncode, 137)
        self.assertFalse(any(map(alive, pids)))

    def test_the_memory_of_a_job_is_freed(self):
        before = harness.leftovers()
        member(2, "kill", 0)
        self.assertTrue(harness.nothing_left_since(before), harness.leftovers())

    def test_a_second_process_of_a_rank_is_refused(self):
        done = run("-n", 1, "sh", "-c",
                   f"{harness.MEMBER} wait & sleep 0.5; {harness.HELLO}; kill $!")
        self.assertIn("has already joined as process", done.stderr)

    def test_a_rank_may_be_several_programs_in_turn(self):
        done = run("-n", 3, "sh", "-c", f"{harness.HELLO} && {harness.HELLO}")
        self.check(done, 0, "")
        self.assertEqual(len(done.stdout.splitlines()), 6)

    def test_a_closed_join_socket_is_named(self):
        done = run("-n", 1, "sh", "-c", f"eval \"exec $AM_JOB_FD>&-\"; {harness.HELLO}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("AM_JOB_FD=", done.stderr)


if __name__ == "__main__":
    harness.main()
