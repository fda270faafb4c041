#!/usr/bin/env python3
"""How a job of am-run over three hosts ends when a rank, an agent or a host is lost; and what it
does not notice."""

import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import in_hosts
from harness import wait_until
from host_jobs import (AGENT_ENDED, LOSSES, PROGRAMS, SILENT, TIMEOUT, HostJobs,
                       cluster_up, death)

MEMBER = PROGRAMS / "am_run_member"
MOST_SECONDS = TIMEOUT + 2  # from the loss of a host to the end of the job


class Deaths(HostJobs):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(cluster_up())

    def check_none_left(self, up):
        for host in (1, 2, 3):
            for name in (MEMBER.name, "stress"):
                self.assertTrue(wait_until(lambda: not self.processes(up, host, name)))

    def all_jobs(self):
        """One that waits, and one that sends over each transport."""
        job = self.start(self.up, MEMBER, "wait")
        self.wait_until_in_job(job)
        return [job, *self.start_sending(self.up)]

    def test_a_killed_rank_ends_the_job(self):
        jobs = self.all_jobs()
        self.up.output(3, "pkill", "-KILL", "-o", "-x", MEMBER.name)
        self.up.output(3, "pkill", "-KILL", "-x", "stress")
        for job in jobs:
            status, _, errors = self.end(job)
            self.assertEqual(status, 137)
            self.assertRegex(errors, f"^{death('[45]', 'first: SIGKILL')}$")
        self.check_none_left(self.up)

    def test_a_killed_agent_ends_the_job_and_its_ranks(self):
        jobs = self.all_jobs()
        self.up.output(2, "pkill", "-KILL", "-f", "--", "--agent")
        for job in jobs:
            status, _, errors = self.end(job)
            self.assertEqual(status, 1)
            self.assertRegex(errors, "^" + death(2, f"first: {AGENT_ENDED}", "h2") + "$")
        self.check_none_left(self.up)

    def end_and_time(self, job):
        return self.end(job), time.monotonic()

    def test_a_lost_host_ends_the_job_soon(self):
        """One host of each of several clusters, at the same time; in one of them a job that
        floods its connections."""
        jobs = {}
        for how in LOSSES:
            up = self.new_cluster()
            jobs[how] = up, [self.start(up, MEMBER, "wait", AM_WAIT="block")]
        up, of_cut = jobs["cut"]
        of_cut.append(self.start(up, "stress", "--seconds", 60, AM_TRANSPORT="shm,tcp"))
        for _, (waiting, *_) in jobs.values():
            self.wait_until_in_job(waiting)
        self.assertTrue(wait_until(lambda: self.processes(up, 3, "stress")))
        ends = []
        with ThreadPoolExecutor(len(LOSSES) + 1) as pool:
            for how, (up, both) in jobs.items():
                with self.subTest(how=how):
                    began = time.monotonic()
                    self.lose(up, how)
                    ends += [(how, began, pool.submit(self.end_and_time, job)) for job in both]
        for how, began, end in ends:
            with self.subTest(how=how):
                (status, _, errors), ended = end.result()
                self.assertEqual(status, 1)
                self.assertRegex(errors, f"^{death(4, f'first: {SILENT}')}$")
                self.assertLess(ended - began, MOST_SECONDS)

    def test_a_cut_of_am_run_s_own_host_ends_the_ranks_of_all(self):
        up = self.new_cluster()
        job = self.start(up, MEMBER, "wait", AM_WAIT="block")
        self.wait_until_in_job(job)
        self.assertEqual(up.do("cut", 1).returncode, 0)
        status, _, errors = self.end(job)
        self.assertEqual(status, 1)
        self.assertRegex(errors, f"^{death('[24]', f'first: {SILENT}', 'h[23]')}$")
        self.check_none_left(up)

    def test_a_short_cut_has_no_effect(self):
        self.addCleanup(self.up.do, "heal", 3)
        jobs = self.start_sending(self.up, seconds=4, AM_PEER_TIMEOUT=30)
        self.lose(self.up, "cut")
        time.sleep(2)
        self.assertEqual(self.up.do("heal", 3).returncode, 0)
        for job in jobs:
            status, output, errors = self.end(job)
            self.assertEqual((status, errors), (0, ""))
            self.assertRegex(output, r"^stress: (\d+) requests, \1 handled, 0 lost\n$")


class SendingJobs(HostJobs):
    """Without a limit of time: they keep the cores busy."""

    def test_a_lost_host_ends_jobs_that_send(self):
        jobs = {}
        for how in ("crash", "cut"):
            up = self.new_cluster()
            jobs[how] = up, self.start_sending(up)
        for how, (up, _) in jobs.items():
            self.lose(up, how)
        for how, (_, sending) in jobs.items():
            for job in sending:
                status, _, errors = self.end(job)
                self.assertEqual(status, 1, how)
                self.assertRegex(errors, f"^{death(4, f'first: {SILENT}')}$")


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
