#!/usr/bin/env python3
"""kill -9 of ranks and of am-run, whatever the ranks are doing: the whole job ends, nothing
stays."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time
import unittest

import harness
from harness import (alive, descendants, leftovers, nothing_left_since, own_lines, read_pids, start,
                     wait_until)

# Generous: a machine that runs other tests at the same time is slow.
SECONDS = 20
CAN_UNSHARE = subprocess.run(["unshare", "-U", "-r", "-n", "-p", "-f", "true"],
                             capture_output=True).returncode == 0


def file_of(pid, name):
    return pathlib.Path(f"/proc/{pid}/{name}").read_text()


def all_ended(pids):
    return wait_until(lambda: not any(map(alive, pids)), SECONDS)


class Kills(unittest.TestCase):
    def setUp(self):
        self.before = leftovers()

    def tearDown(self):
        self.assertTrue(nothing_left_since(self.before), leftovers())

    def members(self, ranks, *what, **settings):
        """A job whose ranks have joined: am-run, and the processes of all."""
        job = start("-n", ranks, *(what or (harness.MEMBER, "wait")), **settings)
        self.addCleanup(harness.finish, job)
        return job, read_pids(job.stderr, ranks)

    def kill_am_run(self, job):
        pids = descendants(job.pid)
        self.assertTrue(pids)
        job.kill()
        job.communicate(timeout=SECONDS)
        self.assertTrue(all_ended(pids))

    def test_am_run_while_ranks_wait_in_every_mode(self):
        for wait in ("block", "spin", "yield"):
            with self.subTest(wait=wait):
                job, _ = self.members(2, env={**os.environ, "AM_WAIT": wait})
                self.kill_am_run(job)

    def test_am_run_while_ranks_are_stopped(self):
        job, pids = self.members(3)
        for pid in pids[:2]:
            os.kill(pid, signal.SIGSTOP)
        self.kill_am_run(job)

    def test_am_run_while_ranks_join(self):
        script = f'[ $AM_JOB_RANK = 0 ] && exec sleep 100; exec {harness.MEMBER} wait'
        job = start("-n", 3, "sh", "-c", script)
        self.addCleanup(harness.finish, job)
        self.assertTrue(wait_until(lambda: harness.names_below(job.pid)
                                   == ["am_run_member"] * 2 + ["sleep"]))
        self.kill_am_run(job)

    def test_am_run_of_ranks_that_never_call_libam(self):
        job = start("-n", 2, "sh", "-c", "echo ready >&2; exec sleep 100")
        self.addCleanup(harness.finish, job)
        self.assertEqual([job.stderr.readline() for _ in range(2)], ["ready\n"] * 2)
        self.kill_am_run(job)

    @unittest.skipUnless(CAN_UNSHARE, "no namespaces here")
    def test_am_run_of_ranks_that_are_the_first_process_of_their_namespace(self):
        job, _ = self.members(2, "unshare", "-U", "-r", "-p", "-f", harness.MEMBER, "wait")
        self.kill_am_run(job)

    def test_all_ranks_at_once(self):
        job, pids = self.members(4)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # am-run may end the others first
                os.kill(pid, signal.SIGKILL)
        errors = job.communicate(timeout=SECONDS)[1]
        self.assertEqual(job.returncode, 137)
        self.assertEqual(len(own_lines(errors)), 1)
        self.assertRegex(own_lines(errors)[0], r"rank \d \(pid \d+, host \S+\) died first: SIGKILL$")
        self.assertFalse(any(map(alive, pids)))

    def test_a_rank_during_traffic(self):
        job = start("-n", 8, harness.OTHERS["stress"], "--seconds", "60")
        self.addCleanup(harness.finish, job)
        self.assertTrue(wait_until(lambda: harness.names_below(job.pid) == ["stress"] * 8))
        time.sleep(0.3)
        pids = descendants(job.pid)
        os.kill(pids[5], signal.SIGKILL)
        errors = job.communicate(timeout=SECONDS)[1]
        self.assertRegex(errors, rf"\Aam-run: rank 5 \(pid {pids[5]}, host \S+\) died first: SIGKILL\n\Z")
        self.assertEqual(job.returncode, 137)
        self.assertFalse(any(map(alive, pids)))

    def test_processes_of_ranks_end_with_the_job(self):
        job, pids = self.members(2, "sh", "-c", f"sleep 100 & {harness.MEMBER} wait; true")
        started = descendants(job.pid)
        self.assertGreaterEqual(len(started), 6)
        os.kill(pids[1], signal.SIGKILL)
        job.communicate(timeout=SECONDS)
        self.assertTrue(all_ended(started))

    def test_each_later_death_that_others_survive_is_reported_once(self):
        job, pids = self.members(4, env={**os.environ, "AM_ON_PEER_DEATH": "callback"})
        ranks = {}
        for pid in pids:
            environment = dict(e.split("=", 1) for e in file_of(pid, "environ").split("\0") if e)
            ranks[pid] = environment["AM_JOB_RANK"]
        hows = ("died first: SIGKILL", "died, too: SIGABRT", "died, too: SIGKILL")
        lines = ""
        for pid, how in zip(pids, hows):
            os.kill(pid, signal.SIGABRT if "ABRT" in how else signal.SIGKILL)
            self.assertTrue(wait_until(lambda: not os.path.exists(f"/proc/{pid}"), SECONDS))
            lines += rf"am-run: rank {ranks[pid]} \(pid {pid}, host \S+\) {how}( \(core dumped\))?\n"
        job.terminate()
        errors = job.communicate(timeout=SECONDS)[1]
        self.assertRegex(errors, rf"\A{lines}am-run: stopped by SIGTERM\n\Z")
        self.assertEqual(job.returncode, 143)

    @unittest.skipUnless(CAN_UNSHARE, "no namespaces here")
    def test_no_socket_is_left(self):
        """In a namespace of its own, where all sockets belong to the job."""
        for victims in ("$job", "$(cat /proc/$job/task/$job/children)"):
            script = f"""
                {harness.AM_RUN} -n 3 {harness.MEMBER} wait 2>/dev/null & job=$!
                until [ "$(grep -c @ /proc/net/unix)" -ge 3 ]; do sleep 0.05; done
                kill -9 {victims}
                for i in $(seq 400); do [ "$(wc -l < /proc/net/unix)" = 1 ] && exit 0; sleep 0.05; done
                cat /proc/net/unix; exit 1"""
            done = subprocess.run(["unshare", "-U", "-r", "-n", "sh", "-c", script], text=True,
                                  capture_output=True, timeout=50)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


if __name__ == "__main__":
    harness.main()
