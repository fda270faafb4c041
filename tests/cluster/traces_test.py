#!/usr/bin/env python3
"""The traces of a job on two hosts: their clocks are compared, and each message comes after it was
sent."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import in_hosts
from in_hosts import Up

BUILD = pathlib.Path(os.environ["LIBAM_TEST_BUILD"])
AM_TRACE = BUILD / "bin/am-trace"
STRESS = BUILD / "bin/stress"
SPANS = BUILD / "tests/traced-spans"


def am_trace(*words):
    ended = subprocess.run([AM_TRACE, *map(str, words)], capture_output=True, text=True,
                           timeout=100, check=False)
    return ended.returncode, ended.stdout, ended.stderr


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--no-slurm", hosts=2))

    def setUp(self):
        # The hosts have a /tmp each, and this folder in common.
        kept = self.enterContext(tempfile.TemporaryDirectory(dir=BUILD))
        self.folder = pathlib.Path(kept) / "trace"

    def job(self, *words, **settings):
        settings = [f"{name}={value}" for name, value in settings.items()]
        return self.up.status_and_output(1, "env", f"AM_TRACE={self.folder}", *settings, "am-run",
                                         "--hosts", "h1:2,h2:2", *words)

    def check(self, transport):
        status, output = self.job(STRESS, "--seconds", "1", AM_TRANSPORT=f"self,shm,{transport}")
        self.assertEqual(status, 0, output)
        status, shown, errors = am_trace("show", self.folder)
        self.assertEqual((status, errors), (0, ""))
        self.assertNotIn("before they were sent", shown)
        self.assertNotIn("one end only", shown)
        line = r"clock of h2 \(first rank 2\) against rank 0: known to [^,]*, " \
               r"measured \d+ times, drift (-?[0-9.]+) ppm"
        self.assertRegex(shown, line)
        for suffix in ("json", "csv"):
            status, _, errors = am_trace("merge", self.folder, "-o", self.folder / f"all.{suffix}")
            self.assertEqual(status, 0)
            self.assertRegex(errors, "^am-trace: " + line + "\n$")
        self.assertRegex(am_trace("states", self.folder)[1], line)

    def test_tcp(self):
        self.check("tcp")

    def test_ucx(self):
        self.check("ucx")

    def test_a_job_that_is_killed_has_the_beginning_alone(self):
        status, output = self.job(SPANS, "hang")  # all ranks are killed in a wait
        self.assertNotEqual(status, 0, output)
        status, shown, _ = am_trace("show", self.folder)
        self.assertEqual(status, 0)
        self.assertTrue(re.search(r"measured once, for a drift of \d+ ppm", shown), shown)

    def test_clocks_are_compared_in_waits(self):
        status, output = self.job(SPANS, "hang", "4000")
        self.assertNotEqual(status, 0, output)
        status, shown, _ = am_trace("show", self.folder)
        self.assertEqual(status, 0)
        # When it joins, and 1 and 3 s later.
        self.assertRegex(shown, "measured 3 times, drift ")

    def test_a_reference_that_does_not_poll(self):
        status, output = self.job(SPANS, "idle", "3500", AM_STALL_WARN="1")
        self.assertEqual((status, output), (0, ""))  # no stall: the program waits for no rank
        shown = am_trace("show", self.folder)[1]
        self.assertRegex(shown, "known to [0-9.]+ us, measured 2 times, drift ")


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
