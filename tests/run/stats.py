#!/usr/bin/env python3
"""AM_STATS: a line of JSON for each rank when it leaves, and one clear line where that cannot be."""

import json
import os
import tempfile
import unittest

import harness
from harness import run


class Stats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "stats.json")

    def tearDown(self):
        self.folder.cleanup()

    def lines(self, text):
        return sorted((json.loads(line) for line in text.splitlines()), key=lambda x: x["rank"])

    def test_each_rank_adds_a_line_and_the_sums_agree(self):
        done = run("-n", 3, os.path.join(os.path.dirname(harness.HELLO), "stress"), "--seconds", "0.2", env={"AM_STATS": self.file})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.file, encoding="utf-8") as file:
            ranks = self.lines(file.read())
        self.assertEqual([r["rank"] for r in ranks], [0, 1, 2])
        for r in ranks:
            self.assertEqual(r["schema"], "am-stats/1")
            self.assertEqual(r["ranks"], 3)
            for name, sum_of_all in r["all"].items():
                self.assertEqual(sum_of_all, sum(p[name] for p in r["peers"]), name)
            self.assertGreaterEqual(r["polls"], r["empty_polls"])
        # Whatever one rank has sent, another has handled; a handler has run for each of both.
        self.assertEqual(sum(r["all"]["requests"] for r in ranks),
                         sum(r["all"]["handled"] for r in ranks))
        self.assertEqual(sum(r["all"]["handled"] + r["all"]["answers"] for r in ranks),
                         sum(h["runs"] for r in ranks for h in r["handlers"]))
        sent = {(r["rank"], p["rank"]): p["requests"] for r in ranks for p in r["peers"]}
        handled = {(p["rank"], r["rank"]): p["handled"] for r in ranks for p in r["peers"]}
        self.assertEqual(sent, handled)

    def test_a_second_job_adds_its_lines(self):
        for _ in range(2):
            run("-n", 2, harness.HELLO, env={"AM_STATS": self.file})
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual([r["rank"] for r in self.lines(file.read())], [0, 0, 1, 1])

    def test_a_dash_is_standard_error(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": "-"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.lines(done.stderr)), 2)
        self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_what_cannot_be_written_is_told_at_the_join(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": "/nowhere/stats"})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("AM_STATS=/nowhere/stats: No such file or directory", done.stderr)

    def test_a_full_disk_loses_counters_and_says_so(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": "/dev/full"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("AM_STATS=/dev/full: the counters are lost: No space left on device",
                      done.stderr)


if __name__ == "__main__":
    harness.main()
