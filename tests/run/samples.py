#!/usr/bin/env python3
"""The sample stress: its patterns, and the memory that it uses for the ranks that send to it."""

import json
import os
import pathlib
import subprocess
import unittest

import harness

KIB = 1024
MIB = 1024 * KIB


def data_of(pid):
    """The bytes of its private writable memory."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * KIB
    raise AssertionError(f"process {pid} has no VmData")


def shared_by(pid):
    """The bytes of the job's shared memory that exist."""
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        if os.readlink(file).startswith("/memfd:am-job"):
            return os.stat(file).st_blocks * 512
    raise AssertionError(f"process {pid} has no memory of a job")


def has_handled(pid):
    done = subprocess.run([harness.OTHERS["am-info"], str(pid), "--json"], capture_output=True, text=True,
                          check=False, timeout=50)
    return done.returncode == 0 and any(
        peer["handled"] for rank in json.loads(done.stdout)["process"] for peer in rank["peers"])


class Stress(unittest.TestCase):
    def memory_used(self, pattern, ranks):
        """The private and shared memory of a rank of stress. With small rings it is little more
        than the targets of stores."""
        job = harness.start("-n", ranks, harness.OTHERS["stress"], "--pattern", pattern, "--seconds", 1000,
                            env={**os.environ, "AM_TRANSPORT": "self,shm", "AM_CREDITS": "4", "AM_SHM_SLOTS": "8"})
        try:
            ready = lambda: harness.names_below(job.pid).count("stress") == ranks
            self.assertTrue(harness.wait_until(ready, 30))
            one = harness.descendants(job.pid)[0]
            # By then every rank has allocated all its targets.
            self.assertTrue(harness.wait_until(lambda: has_handled(one), 60))
            return data_of(one), shared_by(one) // ranks
        finally:
            harness.finish(job)

    def test_stress_allocates_targets_for_ranks_that_send_to_it(self):
        few, many = 2, 40
        for pattern in ("ring", "pairs"):
            with self.subTest(pattern=pattern):
                for more, less in zip(self.memory_used(pattern, many), self.memory_used(pattern, few)):
                    self.assertLess(more - less, MIB // 2)

    def test_targets_for_all_ranks_have_a_limit(self):
        """Of private memory: in shared memory the ranks' rings grow as they connect."""
        private, _ = self.memory_used("all-to-all", 40)
        self.assertLess(private - self.memory_used("all-to-all", 2)[0], 3 * MIB // 2)

    def test_every_pattern_loses_nothing(self):
        for pattern in ("ring", "pairs", "all-to-all"):
            for ranks in (1, 2, 5):
                with self.subTest(pattern=pattern, ranks=ranks):
                    done = harness.run("-n", ranks, harness.OTHERS["stress"], "--pattern", pattern, "--seconds", 0.2)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertRegex(done.stdout, r"^stress: ([1-9]\d*) requests, \1 handled, 0 lost\n$")


if __name__ == "__main__":
    harness.main()
