#!/usr/bin/env python3
"""am-calibrate commtest: its tables, its JSON, which holds to docs/am-commtest.schema.json and has
every protocol in both sets, and what it refuses.

Usage: commtest_command.py AM-CALIBRATE
"""

import sys
import unittest

from pair_command import PairCommand

PROTOCOLS = [f"0,{i}" for i in range(10)] + [f"1,{i}" for i in range(11)]


class Commtest(PairCommand, unittest.TestCase):
    command = "commtest"
    refused = (
        (["--transport", "self"], "unknown transport 'self'; there are shm"),
        (["--volume", "1MB"], "unknown volume '1MB'; there are 2MB 128KB 8KB"),
        (["--mode", "cold"], "unknown cache mode 'cold'; there are invalidated"),
        (["--pairs", "1-2"], "unknown pair '1-2'; there are 0-1 0-2 0-2+1-3"),
        (["--layers", "am-tcp"], "unknown layer 'am-tcp'; there are am-shm"),
        (["--quick", "--full"], "either --quick or --full"),
        (["--rounds", "0"], "--rounds"))

    @staticmethod
    def broken(whole):
        whole["rows"][0]["protocol"] = "1,11"

    def check_rows(self, whole, layers, modes, volumes):
        rows = [(row["layer"], row["mode"], row["volume"], row["protocol"], row["set"])
                for row in whole["rows"]]
        self.assertEqual(sorted(rows), sorted(
            (layer, mode, volume, protocol, one) for layer in layers for mode in modes
            for volume in volumes for protocol in PROTOCOLS for one in "AB"))

    def test_tables_and_file(self):
        modes = ["invalidated", "initialised", "repeated"]
        ended, whole = self.measure("--layers", "am-shm", "--volume", "8KB", "--samples", "1")
        self.assertNotIn("failed", ended.stderr)
        self.check_rows(whole, ["am-shm"], modes, [8192])
        for row in whole["rows"]:
            self.assertEqual(row["runs"], 1)
            self.assertEqual([one["packets"] for one in row["times"]],
                             [2**i for i in range(11)])
            for one in row["times"]:
                self.assertGreater(one["time"]["of_least"], 0)
                self.assertGreater(one["time"]["over_runs"]["median"], 0)
            self.assertEqual("idle" in row, row["protocol"].startswith("1,"))
        self.assertEqual(len(whole["best"]), len(modes))
        for mode in modes:
            self.assertIn(f"\nam-shm, pair 0-1, 8KB, {mode}\n", ended.stdout)
        self.assertEqual(ended.stdout.count("\n  1,10 "), len(modes))

    def test_layers_side_by_side(self):
        _, whole = self.measure("--quick", "--mode", "initialised", "--samples", "3")
        missing = " ".join(whole["conditions"]["missing"])
        layers = [one for one in ("am-shm", "openmpi", "mpich") if one not in missing]
        self.check_rows(whole, layers, ["initialised"], [131072])
        self.assertEqual({row["runs"] for row in whole["rows"]}, {3})

    def test_pairs_of_four_processes(self):
        _, whole = self.measure("--quick", "--layers", "am-shm", "--mode", "initialised", "--pairs",
                                "0-2,0-2+1-3")
        for pairs in ("0-2", "0-2+1-3"):
            self.assertEqual(sum(row["pairs"] == pairs for row in whole["rows"]), 42)

    def test_stopped(self):
        whole = self.measure_until_stopped("--layers", "am-shm", "--volume", "8KB", "--mode",
                                           "initialised")
        self.check_rows(whole, ["am-shm"], ["initialised"], [8192])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
