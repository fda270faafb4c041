#!/usr/bin/env python3
"""The same binary under srun: `cluster run -n 1` (tests/cluster) starts this, with a Slurm."""

import unittest

import harness
from launched import Launched, member


class Srun(Launched, unittest.TestCase):
    launcher = ["srun", "--quiet", "--mpi=pmix"]
    environment = {}

    def test_without_the_option_for_pmix(self):
        for flag in ("none", "pmi2"):
            with self.subTest(mpi=flag):
                self.launcher = ["srun", "--quiet", f"--mpi={flag}"]
                self.refused(r".*=2 says that this process is one of several, but no PMIx server "
                             r".* start it with `srun --mpi=pmix`", 2)

    def test_srun_reports_a_killed_rank(self):
        done = self.launched(3, *member("kill", 1))
        self.assertRegex(done.stderr, r"srun: error: \S+: task 1: Killed", self.output_of(done))

    def test_callback_does_not_keep_slurm_from_ending_the_job(self):
        done = self.launched(3, harness.OTHERS["test-death-member"], "waiting",
                             env={"AM_ON_PEER_DEATH": "callback"})
        self.assertEqual(done.returncode, 137, self.output_of(done))
        self.assertNotIn("survived", done.stdout)


if __name__ == "__main__":
    harness.main()
