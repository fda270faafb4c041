#!/usr/bin/env python3
"""Signals to am-run: which end the job, which are forwarded, and the effect of a second one."""

import os
import signal
import unittest

import harness
from harness import alive, descendants, name_of, own_lines, read_pids, start, state_of, wait_until

SECONDS = 20


class Signals(unittest.TestCase):
    def start(self, ranks, *command, **settings):
        job = start("-n", ranks, *command, **settings)
        self.addCleanup(harness.finish, job)
        return job

    def test_termination_signals_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number):
                job = self.start(2, "sh", "-c", f"ulimit -c 0; exec {harness.MEMBER} wait")
                pids = read_pids(job.stderr, 2)
                job.send_signal(number)
                errors = job.communicate(timeout=SECONDS)[1]
                self.assertEqual(job.returncode, 128 + number)
                self.assertEqual(own_lines(errors), [f"am-run: stopped by {name_of(number)}"])
                self.assertFalse(any(map(alive, pids)))

    def test_usr1_and_usr2_reach_every_rank_and_end_nothing(self):
        script = 'trap "echo one" USR1; trap "echo two; exit 0" USR2; echo ready >&2; '
        job = self.start(3, "sh", "-c", script + "while :; do sleep 0.02; done")
        self.assertEqual([job.stderr.readline() for _ in range(3)], ["ready\n"] * 3)
        job.send_signal(signal.SIGUSR1)
        self.assertEqual([job.stdout.readline() for _ in range(3)], ["one\n"] * 3)
        job.send_signal(signal.SIGUSR2)
        output, errors = job.communicate(timeout=SECONDS)
        self.assertEqual((job.returncode, output, errors), (0, "two\n" * 3, ""))

    def test_usr1_kills_ranks_that_do_not_handle_it_and_counts_as_a_death(self):
        job = self.start(2, harness.MEMBER, "wait")
        read_pids(job.stderr, 2)
        job.send_signal(signal.SIGUSR1)
        errors = job.communicate(timeout=SECONDS)[1]
        self.assertEqual(job.returncode, 128 + signal.SIGUSR1)
        self.assertRegex(errors, r"^am-run: rank \d \(.*\) died first: SIGUSR1\n$")

    def test_a_job_is_stopped_and_continued_as_a_whole(self):
        # In a process group of its own, as a shell would start it.
        job = self.start(2, harness.MEMBER, "wait", preexec_fn=lambda: os.setpgid(0, 0))
        pids = read_pids(job.stderr, 2)
        job.send_signal(signal.SIGTSTP)
        self.assertTrue(wait_until(lambda: all(state_of(p) == "T" for p in [job.pid, *pids]), SECONDS))
        job.send_signal(signal.SIGCONT)
        self.assertTrue(wait_until(lambda: all(state_of(p) in "SR" for p in [job.pid, *pids]), SECONDS))
        job.terminate()
        job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 143)

    def test_a_second_signal_kills_also_with_a_blocked_reader(self):
        job = self.start(2, "yes")
        self.assertTrue(wait_until(lambda: len(descendants(job.pid)) == 2))
        os.set_blocking(job.stdout.fileno(), True)
        wait_until(lambda: False, 0.3)  # until the pipe is full
        job.send_signal(signal.SIGINT)
        self.assertTrue(wait_until(lambda: not descendants(job.pid), SECONDS))
        self.assertIsNone(job.poll())  # the output waits for its reader
        job.send_signal(signal.SIGINT)
        job.wait(timeout=SECONDS)
        self.assertEqual(job.returncode, 130)

    def test_a_second_signal_kills_ranks_that_ignore_the_first(self):
        job = self.start(2, "sh", "-c", 'trap "" INT; echo ready >&2; sleep 100; sleep 100')
        self.assertEqual([job.stderr.readline() for _ in range(2)], ["ready\n"] * 2)
        job.send_signal(signal.SIGINT)
        self.assertEqual(job.stderr.readline(), "am-run: stopped by SIGINT\n")
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 130)


if __name__ == "__main__":
    harness.main()
