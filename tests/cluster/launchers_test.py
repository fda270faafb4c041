#!/usr/bin/env python3
"""Jobs over several hosts under am-run, srun and mpirun: three hosts with two ranks each."""

import os
import re
import unittest

import in_hosts
from in_hosts import Up

LAUNCHERS = {
    "am-run": ["am-run", "--hosts", "h1:2,h2:2,h3:2"],
    "am-run in an allocation": ["salloc", "--quiet", "-N", "3", "--ntasks-per-node=2", "am-run"],
    "srun": ["srun", "--quiet", "-N", "3", "--ntasks-per-node=2", "--mpi=pmix"],
    "mpirun": ["mpirun", "--quiet", "--host", "h1:2,h2:2,h3:2"],
}


def ranks_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def pairs_of(table):
    """The transport of each pair of different ranks."""
    rows = re.findall(r"^([\d,-]+) +([\d,-]+) +(\w+)", table, re.MULTILINE)
    return {(one, other): by for of, to, by in rows for one in ranks_of(of)
            for other in ranks_of(to) if one != other}


class Launchers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--build", os.environ["LIBAM_TEST_BUILD"]))

    def launched(self, launcher, *words, **settings):
        settings = [f"{name}={value}" for name, value in settings.items()]
        passed = [word for one in settings for word in ("-x", one)] if launcher == "mpirun" else []
        before = [] if launcher == "mpirun" else ["env", *settings]
        return self.up.output(1, *before, *LAUNCHERS[launcher], *passed, *words)

    def test_every_rank_greets(self):
        for launcher in LAUNCHERS:
            with self.subTest(launcher=launcher):
                said = self.launched(launcher, "hello")  # with warnings of Open MPI's own
                self.assertEqual(sorted(re.findall(r"^hello .*", said, re.MULTILINE)),
                                 [f"hello from rank {rank} of 6" for rank in range(6)])

    def test_shm_serves_a_host_and_a_network_the_others(self):
        for launcher in LAUNCHERS:
            for setting, between in (("shm,tcp", "tcp"), ("shm,ucx", "ucx")):
                with self.subTest(launcher=launcher, between=between):
                    table = self.launched(launcher, "am-info", "--transports", AM_TRANSPORT=setting)
                    for pair, by in pairs_of(table).items():
                        one, other = pair
                        self.assertEqual(by, "shm" if one // 2 == other // 2 else between, table)
                    self.assertEqual(len(pairs_of(table)), 30, table)

    def test_no_message_is_lost(self):
        for launcher in LAUNCHERS:
            for transport in ("shm,tcp", "shm,ucx"):
                with self.subTest(launcher=launcher, transport=transport):
                    said = self.launched(launcher, "stress", "--seconds", "0.5",
                                         AM_TRANSPORT=transport)
                    self.assertRegex(said, r"stress: (\d+) requests, \1 handled, 0 lost")

    def test_programs_join_one_after_the_other_though_one_ends_late(self):
        member = f"{os.environ['LIBAM_TEST_BUILD']}/tests/am_run_member"
        said = self.launched("srun", "sh", "-c", "export AM_JOB_RANK=$PMIX_RANK; for i in 1 2 3; do "
                             f"timeout 30 {member} linger 1 || exit; done")
        self.assertEqual(len(re.findall(r"^in \d+$", said, re.MULTILINE)), 18, said)

    def test_mpirun_takes_one_program_for_each_rank(self):
        status, said = self.up.status_and_output(1, "timeout", "60", *LAUNCHERS["mpirun"], "sh",
                                                 "-c", "hello; hello; hello")
        self.assertNotIn(status, (0, 124), said)
        self.assertRegex(said, r"a program has been rank \d of this job before, and mpirun over "
                               r"several hosts takes one for each rank")
        self.assertEqual(len(re.findall(r"^hello from", said, re.MULTILINE)), 6, said)

    def test_a_second_process_of_each_rank_joins_the_job_anew(self):
        """The servers of other hosts keep what the first ones have put."""
        said = self.launched("srun", "sh", "-c", "for i in 1 2; do stress --seconds 0.2; done",
                             AM_TRANSPORT="tcp")
        self.assertEqual(len(re.findall(r"stress: (\d+) requests, \1 handled, 0 lost", said)), 2)


if __name__ == "__main__":
    in_hosts.main()
