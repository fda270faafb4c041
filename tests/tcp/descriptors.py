#!/usr/bin/env python3
"""Ranks with few descriptors, and many ranks: each has what it needs, or reports what it lacks and
ends."""

import os
import re
import unittest

import harness
from harness import start

RANKS = 8


class Descriptors(unittest.TestCase):
    def stress(self, ranks, limit="", seconds=0.5, **settings):
        """Its status, and its errors."""
        script = f"{limit} exec {harness.OTHERS['stress']} --seconds {seconds}"
        job = start("-n", ranks, "sh", "-c", script,
                    env={**os.environ, "AM_TRANSPORT": "tcp", **settings})
        self.addCleanup(harness.finish, job)
        out, errors = job.communicate(timeout=150)
        if job.returncode == 0:
            self.assertRegex(out, r"\Astress: (\d+) requests, \1 handled, 0 lost\n\Z")
        return job.returncode, errors

    def test_the_soft_limit_is_raised_to_what_may_be_needed(self):
        status, errors = self.stress(RANKS, "ulimit -S -n 24;", AM_LOG="info")
        self.assertEqual(status, 0, errors)
        needed = re.findall(r"info: tcp may need (\d+) descriptors: the limit is raised from 24\n", errors)
        self.assertEqual(len(needed), RANKS, errors)
        self.assertTrue(all(24 < int(each) < 24 + 4 * RANKS for each in needed), errors)

    def test_too_low_a_hard_limit_is_reported_with_both_numbers(self):
        for allowed in (18, 20, 24):
            with self.subTest(allowed=allowed):
                status, errors = self.stress(RANKS, f"ulimit -n {allowed};")
                reports = re.findall(rf"am\[\d\]: warn: tcp may need (\d+) descriptors and this process may have "
                                  rf"{allowed}: raise the limit \(ulimit -n (\d+)\)\n", errors)
                self.assertEqual(len(reports), RANKS, errors)
                self.assertTrue(all(each[0] == each[1] and int(each[0]) > allowed for each in reports), errors)
                if status != 0:
                    self.assertRegex(errors, rf"am-run: .* rank \d is lost: .*Too many open files: {allowed} may "
                                             r"be open here: raise `ulimit -n`")

    def test_a_sufficient_limit_is_not_reported(self):
        self.assertEqual(self.stress(RANKS), (0, ""))

    def test_many_ranks_all_to_all(self):
        ranks = 128 if "LIBAM_TEST_LONG" in os.environ else 24
        self.assertEqual(self.stress(ranks), (0, ""))


if __name__ == "__main__":
    harness.main()
