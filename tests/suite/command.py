#!/usr/bin/env python3
"""am-suite: its table, its JSON, and what it refuses.

Usage: command.py AM-SUITE
"""

import json
import subprocess
import sys
import unittest

AM_SUITE = sys.argv[1]


def run(*options):
    return subprocess.run([AM_SUITE, *options], capture_output=True, text=True, timeout=100)


class Command(unittest.TestCase):
    def test_json(self):
        done = run("--quick", "--rounds", "1", "--only", "radix,em3d", "--transport", "shm",
                   "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads(done.stdout)
        self.assertEqual(whole["schema"], "am-suite/1")
        self.assertTrue(whole["complete"])
        rows = {(row["program"], row["variant"], row["layer"], row["transport"], row["ranks"],
                 row["phase"]): row["value"] for row in whole["rows"]}
        for key in (("radix", "stores", "am-shm", "shm", 2, "total"),
                    ("radix", "stores", "am-shm", "shm", 2, "permute"),
                    ("em3d", "unroll", "am-shm", "shm", 2, "electric"),
                    ("em3d", "serial", "serial", "self", 1, "total")):
            self.assertGreater(rows[key]["median"], 0, key)
            self.assertEqual(rows[key]["unit"], "ns")
        traffic = {(row["program"], row["variant"], row["ranks"]): row
                   for row in whole["traffic"]}
        self.assertEqual(traffic["radix", "stores", 1]["messages"], 0)
        self.assertGreater(traffic["em3d", "unroll", 2]["reads"], 0)
        against = {(row["program"], row["layer"], row["against"]["layer"])
                   for row in whole["ratios"]}
        self.assertIn(("radix", "am-self", "serial"), against)

    def test_table(self):
        done = run("--quick", "--rounds", "1", "--only", "sample", "-n", "2", "--transport",
                   "shm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?s)The programs on 2 ranks\n.*messages.*sample stores shm")
        self.assertIn("Results are checked.", done.stdout)

    def test_bad_usage(self):
        for options, line in (
                (["--only", "none"], "unknown program 'none'; there are radix"),
                (["--transport", "smoke"], "unknown transport 'smoke'; there are shm"),
                (["-n", "0"], "am-suite --help tells more")):
            done = run(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(line, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
