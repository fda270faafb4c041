#!/usr/bin/env python3
"""Network faults (AM_FAULT) are detected at both ends of a connection: the pair is lost and stays
lost, nothing is delivered twice, and every request is accounted for."""

import unittest

import harness
from harness import run


def stress(faults, *options, **settings):
    return run("-n", 4, harness.OTHERS["stress"], "--seconds", *options,
               env={"AM_FAULT": faults, "AM_TRANSPORT": "tcp", **settings})


# The reason at the rank that notices first: its own connection is closed, or the other end detected
# more.
ENDS = r"it has closed the connection without a goodbye|Connection reset by peer"
NUMBER = r"the frame's number is \d+, not \d+"
NETWORK = {
    "reset": rf"{ENDS}|Transport endpoint is not connected",
    "truncate": ENDS,
    "corrupt": r"the frame's [a-z ]+ is \d+, .*\d+",
    "drop": NUMBER,
    "dup": r"the frame.s [a-z ]+ is \d+, .*\d+",  # bulk data behind it is not where it should be
}


class Network(unittest.TestCase):
    """Damaged frames: both ends notice, the pair stays lost, nothing is delivered twice."""

    def test_the_job_ends_and_names_the_lost_peer(self):
        for fault, line in NETWORK.items():
            with self.subTest(fault=fault):
                done = stress(f"{fault}=500,seed=7", "60")
                self.assertEqual(done.returncode, 1)
                lines = harness.own_lines(done.stderr)
                self.assertRegex(lines[0], rf"rank \d \(pid \d+, host \S+\) ended the job with status 1: "
                                          rf"rank \d is lost: ({line})$")

    def test_survivors_account_for_every_request(self):
        for seed, fault in enumerate(NETWORK):
            with self.subTest(fault=fault):
                done = stress(f"{fault}=500,seed={seed}", "0.5", AM_ON_PEER_DEATH="callback")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"^stress: [1-9]\d* requests came back from ranks that are "
                                              r"gone\nstress: \d+ requests, \d+ handled, 0 lost\n$")
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    harness.main()
