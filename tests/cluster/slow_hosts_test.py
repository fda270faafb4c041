#!/usr/bin/env python3
"""A host that is slow and not dead, in jobs of am-run over tcp and ucx: nothing is lost, and no rank
is taken for dead, unless its agent is stopped for longer than AM_PEER_TIMEOUT."""

import unittest

import in_hosts
from harness import wait_until
from host_jobs import (RANKS, SILENT, TIMEOUT, TRAFFIC, TRANSPORTS, HostJobs, cluster_up, death,
                       deaths_with, new_log)

SECONDS = 5  # of traffic
STOPPED_SHORTLY = 1  # less than AM_PEER_TIMEOUT after the answer to the ping before
STOPPED_LONG = TIMEOUT + 1
# All processes of a host but its first one: kill spares it, and the shell itself.
PULSES = f"""for i in 1 2 3; do
  kill -STOP -1; sleep {STOPPED_SHORTLY}; kill -CONT -1; sleep 0.3; done"""
RANKS_STOPPED = f"pkill -STOP -x stress; sleep {STOPPED_LONG}; pkill -CONT -x stress"
# All that the job has in a host gets what others leave of the cores, which never rest.
BUSY = f"""for process in $(pgrep -x 'sshd|am-run|stress'); do chrt --idle -a -p 0 $process; done
for core in $(seq $(nproc)); do timeout {SECONDS} sh -c 'while :; do :; done' & done; wait"""
FAULTS_ON_H3 = '[ "$(hostname)" = h3 ] && export AM_FAULT=stall,delay; exec "$@"'


class SlowHosts(HostJobs):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(cluster_up())

    def check_nothing_lost(self, jobs):
        for job in jobs:
            status, output, errors = self.end(job)
            self.assertEqual((status, errors), (0, ""))
            self.assertRegex(output, r"^stress: (\d+) requests, \1 handled, 0 lost\n$")

    def check_slow(self, script):
        jobs = self.start_sending(self.up, seconds=SECONDS)
        self.up.status(3, "sh", "-c", script)
        self.check_nothing_lost(jobs)


class Stopped(SlowHosts):
    def test_a_host_that_is_stopped_again_and_again(self):
        self.check_slow(PULSES)

    def test_a_host_whose_agent_is_stopped_for_longer_is_lost(self):
        surviving = [self.start(self.up, TRAFFIC, 1, "4-5", self.enterContext(new_log()), 0,
                                AM_ON_PEER_DEATH="callback", AM_TRANSPORT=transport,
                                AM_WAIT="block") for transport in TRANSPORTS.values()]
        for job in surviving:
            self.wait_until_in_job(job)
        ending = self.start_sending(self.up)
        agents = self.processes(self.up, 3, "--agent")
        self.up.output(3, "kill", "-STOP", *agents)
        for job in surviving:
            self.check_survivors(self.end(job), 1, deaths_with([3], SILENT), RANKS - 2)
        for job in ending:
            status, _, errors = self.end(job)
            self.assertEqual(status, 1)
            self.assertRegex(errors, f"^{death(4, f'first: {SILENT}')}$")
        self.up.output(3, "kill", "-CONT", *agents)
        self.assertTrue(wait_until(lambda: not self.processes(self.up, 3, "--agent")))


class AtLength(SlowHosts):
    def test_ranks_that_are_stopped_for_longer(self):
        self.check_slow(RANKS_STOPPED)

    def test_a_host_whose_cores_are_busy_with_others(self):
        self.check_slow(BUSY)

    def test_ranks_that_stall_and_messages_that_are_late(self):
        self.check_nothing_lost(self.start_sending(self.up, "sh", "-c", FAULTS_ON_H3, "sh",
                                                   seconds=SECONDS))


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
