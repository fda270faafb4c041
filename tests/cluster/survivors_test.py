#!/usr/bin/env python3
"""Jobs over three hosts that outlive a killed rank, or a lost host (AM_ON_PEER_DEATH=callback): each
survivor is told of each death, and no request is lost or returned twice."""

import unittest

import in_hosts
from host_jobs import (AGENT_ENDED, LOSSES, PROGRAMS, RANKS, SILENT, TRAFFIC, SurvivingJobs,
                       cluster_up, death, deaths_with, new_log)

THREE_RANKS = "h1,h2:2"  # rank 1 dies; rank 0 is on another host, and rank 2 on the same
SCENARIOS = ("waiting", "looping", "exiting", "leaving", "fencing", "calls", "barrier", "all_to_all",
             "split", "late am_ep_barrier")


class Survivors(SurvivingJobs):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(cluster_up())

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

    def start_traffic(self, up):
        """Of which the ranks of h3 will die."""
        log = self.enterContext(new_log())
        return self.start(up, TRAFFIC, 1, "4-5", log, 0, AM_WAIT="block")

    def check_host_lost(self, job, why):
        self.check_survivors(self.end(job), 1, deaths_with([3], why), RANKS - 2)

    def test_every_request_to_ranks_whose_agent_is_killed_is_accounted_for(self):
        job = self.start_traffic(self.up)
        self.wait_until_in_job(job)
        self.kill(self.up, 3, "--agent")
        self.check_host_lost(job, AGENT_ENDED)

    def test_every_request_to_a_lost_host_is_accounted_for(self):
        """Of several clusters, at the same time."""
        jobs = {}
        for how in LOSSES:
            up = self.new_cluster()
            jobs[how] = up, self.start_traffic(up)
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
