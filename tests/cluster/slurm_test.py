#!/usr/bin/env python3
"""A Slurm over the hosts of a cluster."""

import unittest

import in_hosts
from in_hosts import Up


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up())

    def test_srun_starts_a_task_in_each_host(self):
        for host in (1, 3):
            names = self.up.output(host, "srun", "--quiet", "-N", "3", "hostname")
            self.assertEqual(sorted(names.split()), ["h1", "h2", "h3"])

    def test_tasks_and_their_status(self):
        names = self.up.output(1, "srun", "--quiet", "-N", "2", "-n", "6", "hostname")
        self.assertEqual(len(names.split()), 6)
        self.assertEqual(self.up.status(1, "srun", "--quiet", "-N", "3", "sh", "-c", "exit 5"), 5)


if __name__ == "__main__":
    in_hosts.main()
