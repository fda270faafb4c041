#!/usr/bin/env python3
"""AM_FAULT from outside: the seed is printed once, the same seed kills the same rank, and a fault
without effect is refused."""

import re
import unittest

import harness
from harness import run


def stress(faults, *options, **settings):
    return run("-n", 4, harness.OTHERS["stress"], "--seconds", *options,
               env={"AM_FAULT": faults, **settings})


class Faults(unittest.TestCase):
    def test_a_delayed_job_succeeds_and_prints_its_seed_once(self):
        done = stress("delay,again,stall", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r" 0 lost\n$")
        self.assertRegex(done.stderr, r"^am\[0\]: warn: faults .*\bseed=\d+ [^\n]*\n$")

    def test_a_seed_kills_the_same_rank_again(self):
        dead = []
        for _ in range(2):
            done = stress("kill,seed=5", "60")
            self.assertEqual(done.returncode, 137, done.stderr)
            dead += re.findall(r"^am-run: rank (\d) \(pid \d+, host .*\) died first: SIGKILL$",
                               done.stderr, re.MULTILINE)
        self.assertEqual(len(dead), 2)
        self.assertEqual(dead[0], dead[1])

    def test_one_rank_is_killed(self):
        done = stress("kill,seed=5", "3", AM_ON_PEER_DEATH="callback")
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertEqual(done.stderr.count(" died "), 1, done.stderr)

    def test_an_unknown_fault_is_refused(self):
        for faults in ("reset=0", "drop=x", "delay=0", "again=3", "seed", "earthquake"):
            done = stress(faults, "1")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^am-run: AM_FAULT={faults}: must be a list of delay, .* of tcp also "
                                          r"short, .*; and seed=N\n$")

    def test_a_network_fault_needs_a_network(self):
        done = stress("reset", "1", AM_TRANSPORT="shm")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("AM_FAULT names faults of a network, and shm has none; AM_TRANSPORT=tcp leaves "
                      "it out", done.stderr)


if __name__ == "__main__":
    harness.main()
