#!/usr/bin/env python3
"""Two hosts that do not reach each other any more, while the host of am-run reaches both: their
ranks find out by themselves, over each transport."""

import os
import pathlib
import unittest

import in_hosts
from in_hosts import Up

BUILD = pathlib.Path(os.environ["LIBAM_TEST_BUILD"])
FAR = BUILD / "tests/am_tcp_far"
TIMEOUT = 2  # AM_PEER_TIMEOUT
NOWHERE = "02:00:00:00:00:ff"  # the link address of no host
TRANSPORTS = {"shm,tcp": "tcp: the connection with rank", "shm,ucx": "ucx: the route to rank"}


class Partitions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--no-slurm", "--build", BUILD))

    def cut_between(self, one, other):
        """Neither is notified: what one sends to the other disappears."""
        self.addCleanup(self.heal_between, one, other)
        for host, far in ((one, other), (other, one)):
            for address in (f"198.18.0.{far}", f"fd00::{far}"):
                self.up.output(host, "ip", "neigh", "replace", address, "lladdr", NOWHERE,
                               "dev", "eth0", "nud", "permanent")

    def heal_between(self, one, other):
        for host, far in ((one, other), (other, one)):
            for address in (f"198.18.0.{far}", f"fd00::{far}"):
                self.up.output(host, "ip", "neigh", "del", address, "dev", "eth0")

    def start(self, mode, **settings):
        """A rank in h2 and one in h3, in contact."""
        words = [f"{name}={value}" for name, value in settings.items()]
        job = self.up.start(1, "env", f"AM_PEER_TIMEOUT={TIMEOUT}", "AM_LOG=info", *words,
                            "am-run", "--hosts", "h2,h3", FAR, mode, 40)
        self.addCleanup(job.communicate)
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), "in touch\n")
        return job

    def test_each_loses_the_other_and_goes_on(self):
        jobs = [(lost, self.start(mode, AM_TRANSPORT=transport, AM_ON_PEER_DEATH="callback"))
                for transport, lost in TRANSPORTS.items() for mode in ("idle", "sending")]
        self.cut_between(2, 3)
        for lost, job in jobs:
            out, errors = job.communicate(timeout=60)
            self.assertEqual((job.returncode, out), (0, "lost\n" * 2), errors)
            for rank in (0, 1):
                self.assertRegex(errors, rf"am\[{rank}\]: info: {lost} {1 - rank} is lost: "
                                         rf"silent for {TIMEOUT} s \(AM_PEER_TIMEOUT\)\n")

    def test_by_default_it_ends_the_job_with_the_reason(self):
        jobs = [self.start(mode, AM_TRANSPORT=transport)
                for transport in TRANSPORTS for mode in ("idle", "sending")]
        self.cut_between(2, 3)
        for job in jobs:
            _, errors = job.communicate(timeout=60)
            self.assertEqual(job.returncode, 1, errors)
            self.assertRegex(errors, r"am-run: rank \d \(pid \d+, host h[23]\) ended the job with "
                                     r"status 1: rank \d is lost: "
                                     rf"silent for {TIMEOUT} s \(AM_PEER_TIMEOUT\)\n")

    def check_death_after_silence(self, transport):
        """am-run finds a moment later than the ranks that a host is lost."""
        job = self.start("idle", AM_TRANSPORT=transport, AM_ON_PEER_DEATH="callback")
        self.cut_between(2, 3)
        lost = f"am[0]: info: {TRANSPORTS[transport]} 1 is lost: silent for {TIMEOUT} s"
        self.assertTrue(any(lost in line for line in job.stderr))
        self.up.status(3, "pkill", "-KILL", "-f", "--", "--agent")
        out, errors = job.communicate(timeout=60)
        self.assertEqual((job.returncode, out), (1, "dead\n"), errors)

    def test_a_death_that_follows_a_silence_over_tcp_is_no_loss(self):
        self.check_death_after_silence("shm,tcp")

    def test_a_death_that_follows_a_silence_over_ucx_is_no_loss(self):
        self.check_death_after_silence("shm,ucx")


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
