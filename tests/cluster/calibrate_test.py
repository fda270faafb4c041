#!/usr/bin/env python3
"""am-calibrate in jobs over two hosts, which share kernel, boot id and CPUs, but no memory."""

import json
import os
import re
import unittest

import in_hosts
from in_hosts import Up

AM_RUN = ["am-run", "--bind", "core", "--hosts", "h1:2,h2:2"]
SRUN = ["srun", "--quiet", "-N", "2", "--ntasks-per-node=2", "--mpi=pmix"]
SHORT = ["--quick", "--rounds", "1", "--samples", "1"]
RUN = ["run", *SHORT, "--transport", "shm,tcp", "--profile", "none"]
PEERS = ["peers", *SHORT, "--transport", "tcp", "--bytes", "0"]
MEASURED = (0, 3)  # and 3: unfit, as where ranks share a CPU


class Calibration(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--build", os.environ["LIBAM_TEST_BUILD"]))

    def measured(self, launcher, *words):
        """The result and the table."""
        status, said = self.up.status_and_output(1, *launcher, "am-calibrate", *words,
                                                 "--json", "/tmp/result.json")
        self.assertIn(status, MEASURED, said)
        result = self.up.do("exec", 1, "--", "cat", "/tmp/result.json").stdout  # too long for output
        return json.loads(result), said

    def check_classes(self, profile, table):
        """Which of the near classes there is depends on this machine's caches."""
        near, *others = profile["transports"]
        self.assertIn(near, ("same-cache", "same-host"))
        self.assertEqual(others, ["other-host"])
        self.assertEqual(list(profile["layers"]), ["socket over other-host"])
        for part in (*profile["transports"].values(), *profile["layers"].values()):
            self.assertEqual(part["logp"]["rtt"]["n"], 1)
        settings = profile["conditions"]["settings"]
        self.assertEqual(settings[f"am-{near}"]["peer"], "1")
        self.assertIn(settings["am-other-host"]["peer"], ("2", "3"))
        self.assertEqual(settings["socket over other-host"]["peer"],
                         settings["am-other-host"]["peer"])
        for name in (near, "other-host", "socket over other-host"):
            self.assertRegex(table, rf"(?m)^  {name} +[-\d?]")

    def test_a_pair_of_each_class_is_measured(self):
        self.check_classes(*self.measured(SRUN, *RUN))

    def test_hosts_of_one_name_are_two(self):
        self.up.output(2, "hostname", "h1")
        self.addCleanup(self.up.output, 2, "hostname", "h2")
        profile, table = self.measured(AM_RUN, *RUN)
        self.check_classes(profile, table)
        if len(os.sched_getaffinity(0)) > 1:  # ranks 0 and 2 are bound to the same one
            self.assertEqual(profile["conditions"]["settings"]["am-other-host"]["peer"], "3")
            self.assertNotIn("one CPU", str(profile["conditions"]["unfit"]))

    def test_tcp_is_compared_with_sockets_between_the_same_hosts(self):
        result, table = self.measured(["am-run", "--bind", "none", "--hosts", "h1,h2"], *PEERS)
        self.assertEqual({row["layer"] for row in result["rows"]},
                         {"am-tcp", "limit-socket", "socket"})
        compared = {(one["against"], one["probe"]) for one in result["ratios"]}
        for probe in ("rtt", "flood", "rr_flood"):
            self.assertIn(("limit-socket", probe), compared)
        self.assertIn("over TCP between two hosts", table)

    def test_peers_on_one_host_have_no_place_in_a_job(self):
        status, said = self.up.status_and_output(1, "am-run", "-n", "2", "am-calibrate", *PEERS)
        self.assertEqual(status, 1, said)
        self.assertIn("am-tcp: needs 2 processes on different hosts", said)

    def test_layers_that_are_not_measured_between_hosts_fail_at_every_rank(self):
        said = self.up.output(1, "am-run", "--hosts", "h1,h2", "sh", "-c",
                              "am-calibrate peers --transport shm; echo status $?")
        self.assertEqual(re.findall(r"status \d+", said), ["status 1"] * 2, said)


if __name__ == "__main__":
    in_hosts.main()
