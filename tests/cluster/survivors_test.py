#!/usr/bin/env python3
"""Jobs over three hosts that outlive a killed rank, or a lost host (AM_ON_PEER_DEATH=callback): each
survivor is told of each death, and no request is lost or returned twice."""

import os
import random
import sys
import tempfile
import unittest

import in_hosts
from host_jobs import LOSSES, PROGRAMS, RANKS, SILENT, HostJobs, death

MOST = 200000  # request_log::most
THREE_RANKS = "h1,h2:2"  # rank 1 dies; rank 0 is on another host, and rank 2 on the same
SCENARIOS = ("waiting", "looping", "exiting", "leaving", "fencing", "calls", "barrier", "all_to_all",
             "split", "late am_ep_barrier")


class Survivors(HostJobs):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(in_hosts.Up("--no-slurm", "--build", str(PROGRAMS.parent)))

    def start(self, up, *words, **settings):
        settings = {"AM_ON_PEER_DEATH": "callback", "AM_TRANSPORT": "self,shm,tcp", **settings}
        return super().start(up, *words, **settings)

    def log_file(self):
        """For request_log: all hosts map it."""
        file = self.enterContext(tempfile.NamedTemporaryFile(dir=PROGRAMS))
        file.truncate(RANKS * RANKS * MOST)
        return file.name

    def test_every_survivor_is_told(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario=scenario):
                status, output, errors = self.run_job(
                    self.up, PROGRAMS / "test-death-member", scenario, hosts=THREE_RANKS)
                self.assertEqual(status, 1 if scenario == "exiting" else 137, errors)
                self.assertRegex(errors, death(1, "first: .*", "h2"))
                self.assertEqual(output, "survived\n" * 2, errors)

    def test_an_abort_ends_the_job_all_the_same(self):
        status, output, errors = self.run_job(self.up, PROGRAMS / "test-death-member", "aborting")
        self.assertEqual((status, output), (137, ""), errors)

    def test_without_shm_a_death_ends_the_job(self):
        status, output, errors = self.run_job(self.up, PROGRAMS / "test-death-member", "waiting",
                                              hosts=THREE_RANKS, AM_TRANSPORT="self,tcp")
        self.assertEqual((status, output), (137, ""), errors)
        self.assertRegex(errors, death(1, "first: SIGKILL", "h2"))

    def test_every_request_to_a_killed_rank_is_accounted_for(self):
        first = random.SystemRandom().randrange(1 << 20)
        many = 500 if "LIBAM_TEST_LONG" in os.environ else 8
        print("seeds", first, "to", first + many - 1, file=sys.stderr)
        for seed in range(first, first + many):
            with self.subTest(seed=seed):
                status, output, errors = self.run_job(
                    self.up, PROGRAMS / "test-death-traffic", seed, seed % RANKS, self.log_file(), 9)
                self.assertEqual(status, 137, errors)
                self.assertRegex(errors, f"^{death(seed % RANKS, 'first: SIGKILL', '.*')}$")
                self.assertEqual(output.count("to the dead: "), RANKS - 1, output)

    def check_host_lost(self, job, why):
        status, output, errors = self.end(job)
        self.assertEqual(status, 1, errors)
        self.assertRegex(errors, f"^{death(4, f'first: {why}')}{death(5, f'too: {why}')}$")
        self.assertEqual(output.count("to the dead: "), RANKS - 2, output)

    def test_every_request_to_ranks_whose_agent_is_killed_is_accounted_for(self):
        job = self.start(self.up, PROGRAMS / "test-death-traffic", 1, "4-5", self.log_file(), 0)
        self.wait_until_in_job(job)
        self.kill(self.up, 3, "--agent")
        self.check_host_lost(job, r"its host is lost: ssh ended with exit status \d+")

    def test_every_request_to_a_lost_host_is_accounted_for(self):
        """Of several clusters, at the same time."""
        jobs = {}
        for how in LOSSES:
            up = self.new_cluster()
            jobs[how] = up, self.start(up, PROGRAMS / "test-death-traffic", 1, "4-5",
                                       self.log_file(), 0, AM_WAIT="block")
        for _, job in jobs.values():
            self.wait_until_in_job(job)
        lost = []
        for how, (up, _) in jobs.items():
            with self.subTest(how=how):
                self.lose(up, how)
                lost.append(how)
        for how in lost:
            with self.subTest(how=how):
                self.check_host_lost(jobs[how][1], SILENT)


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
